#include <sys/wait.h>

#include <cstdlib>
#include <set>

#include "codec/decoder.hpp"
#include "fixture.hpp"
#include "shards/index.hpp"
#include "source/sampler.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"
#include "unit/codec/support.hpp"

using namespace weir;
using namespace weir::test;
using codec::test::Raster;

namespace {

shards::Index index_in(const TemporaryFolder& folder) {
  return shards::read_index((folder / "index.weir").string());
}

std::string bytes_of(const TemporaryFolder& folder, const shards::Index& index,
                     const shards::Sample& sample) {
  const auto file = files_in(folder.path()).at(index.shards[sample.shard].name);
  return file.substr(sample.offset, sample.bytes);
}

/// The pixels of one image of the shards.
codec::test::Outcome decoded(const std::string& bytes) {
  return codec::test::run_whole(std::as_bytes(std::span(bytes)));
}

}  // namespace

TEST_CASE("a pack holds every sound sample with label, name and size", "[pack]") {
  const TemporaryFolder folder;
  const auto source = mixed_source();
  const auto packed = run_pack(source, job_for(folder.path()));
  CHECK(packed.samples == 21);
  CHECK(packed.fault_count == 3);
  REQUIRE(packed.faults.size() == 3);
  CHECK(packed.faults[0].name == "dir/7.jpg");
  CHECK(packed.faults[0].kind == FaultKind::truncated);
  CHECK(packed.shards > 3);
  CHECK(packed.kept_shards == 0);
  CHECK(packed.memory.live == packed.memory[Account::index]);

  const auto index = index_in(folder);
  REQUIRE(index.samples.size() == 21);
  std::set<std::string> names;
  for (const auto& shard : index.shards) CHECK(shard.bytes <= 12'000);
  for (const auto& sample : index.samples) {
    const std::string name = index.name(sample);
    names.insert(name);
    const auto number = std::stoi(name.substr(4));
    CAPTURE(number);
    CHECK(sample.label == number % 5 - 1);
    const auto image = decoded(bytes_of(folder, index, sample));
    REQUIRE(image);
    CHECK(image.info->height == sample.height);
    CHECK(image.info->width == sample.width);
    CHECK(std::min(sample.height, sample.width) <= 40);
    CHECK(image.info->channels == (number % 8 == 2 ? 1 : 3));
  }
  CHECK(names.size() == 21);
  CHECK_FALSE(names.contains("dir/15.jpg"));
  // Only the shards with their records, the index and the note remain.
  CHECK(files_in(folder.path()).size() == 2 * packed.shards + 2);
  for (const auto& [name, content] : files_in(folder.path()))
    CHECK((name.starts_with("shard-") || name.starts_with(".shard-") || name == "index.weir" ||
           name == "pack.txt"));
}

TEST_CASE("any number of workers makes the same files", "[pack]") {
  const auto source = mixed_source(40);
  const TemporaryFolder one, eight;
  auto job = job_for(one.path());
  job.order = Order::shuffle();
  job.seed = 3;
  job.workers = 1;
  run_pack(source, job);
  job.out = eight.string();
  job.workers = 8;
  run_pack(source, job);
  CHECK(files_in(one.path()) == files_in(eight.path()));
  // The order is that of an epoch, and the key is the position.
  const auto index = index_in(one);
  CHECK(index.name(index.samples[0]) != std::string("dir/0.jpg"));
}

TEST_CASE("a pack holds samples in its order and resumes in that order", "[pack]") {
  std::vector<MemorySample> samples;
  for (int i = 0; i < 10; ++i)
    samples.push_back(
        {std::to_string(i), codec::test::encode_jpeg(codec::test::pattern(20, 30)), i});
  const auto source = in_memory(std::move(samples));
  for (const auto& order :
       {Order::every(4, 1), Order::with_replacement(5), Order::with_replacement(25),
        Order::weighted({0, 0, 0, 0, 0, 0, 0, 0, 1, 1})}) {
    CAPTURE(to_string(order));
    const source::Sampler sampler(10, order, 0);
    const TemporaryFolder folder;
    auto job = job_for(folder.path());
    job.order = order;
    job.shard_bytes = sampler.positions() * 2'000;
    const auto packed = run_pack(source, job);
    CHECK(packed.memory[Account::index] > sampler.positions() * sizeof(shards::Sample));
    const auto index = index_in(folder);
    REQUIRE(index.samples.size() == sampler.positions());
    for (std::uint64_t i = 0; i < sampler.positions(); ++i) {
      const auto drawn = sampler.index(0, source::Position(i));
      CHECK(index.name(index.samples[i]) == std::to_string(drawn));
      CHECK(index.samples[i].label == static_cast<std::int64_t>(drawn));
    }
    CHECK(packed.shards > 1);
    const auto files = files_in(folder.path());
    std::filesystem::remove(folder / "index.weir");
    std::filesystem::remove(folder / "shard-000001.tar");
    CHECK(run_pack(source, job).kept_shards == packed.shards - 1);
    CHECK(files_in(folder.path()) == files);
  }
}

TEST_CASE("a stored image is the resized one, compressed once", "[pack]") {
  const TemporaryFolder folder;
  const Raster image = codec::test::pattern(90, 60);
  std::vector<MemorySample> samples;
  samples.push_back({"photo.png", codec::test::encode_png(90, 60, image.values, {}), 0});
  samples.push_back({"small.jpg", codec::test::encode_jpeg(codec::test::pattern(80, 40)), 0});
  samples.push_back({"turned.jpg", codec::test::with_exif(codec::test::encode_jpeg(image), 6), 0});
  const codec::test::Pixels wide(60 * 30 * 2, 7), clear(60 * 30 * 4, 7);
  samples.push_back(
      {"wide.png", codec::test::encode_png(60, 30, wide, {.depth = 16, .colour = 0}), 0});
  samples.push_back({"clear.png", codec::test::encode_png(60, 30, clear, {.colour = 6}), 0});
  const auto small = samples[1].bytes;
  auto job = job_for(folder.path());
  job.recipe.quality = 100;
  CHECK(run_pack(in_memory(std::move(samples)), job).narrowed == 2);
  const auto index = index_in(folder);
  REQUIRE(index.samples.size() == 5);
  CHECK(index.samples[0].height == 40);
  CHECK(index.samples[0].width == 60);
  const auto resized = codec::test::run(
      {.fit = {.out = {40, 60}, .fit = Fit::stretch}, .filter = Filter::antialiased},
      codec::test::encode_png(90, 60, image.values, {}));
  const auto stored = decoded(bytes_of(folder, index, index.samples[0]));
  REQUIRE(stored);
  double error = 0;
  for (std::size_t i = 0; i < resized.row.size(); ++i)
    error += std::abs(int(resized.row[i]) - int(stored.row[i]));
  CHECK(error / static_cast<double>(resized.row.size()) < 6);  // chroma has half the pixels
  // It is not larger, so its bytes stay.
  const auto bytes = bytes_of(folder, index, index.samples[1]);
  CHECK(std::ranges::equal(std::as_bytes(std::span(bytes)), small));
  // It is upright.
  CHECK(index.samples[2].height == 60);
  CHECK(index.samples[2].width == 40);
}

TEST_CASE("quality and kept bytes are as asked for", "[pack]") {
  const TemporaryFolder low, high, kept;
  const auto source = mixed_source(7);
  auto job = job_for(low.path());
  job.recipe.quality = 30;
  const auto small = run_pack(source, job).stored_bytes;
  job.out = high.string();
  job.recipe.quality = 95;
  CHECK(run_pack(source, job).stored_bytes > small + small / 3);

  job.out = kept.string();
  job.recipe.short_side = 0;
  const auto packed = run_pack(source, job);
  CHECK(packed.stored_bytes == packed.source_bytes);
  const auto index = index_in(kept);
  REQUIRE(index.samples.size() == 7);
  for (std::uint64_t i = 0; i < 7; ++i) {
    const auto bytes = bytes_of(kept, index, index.samples[i]);
    CHECK(bytes.size() == source.encoded_bytes(i));
  }
  std::string all;
  for (const auto& [name, content] : files_in(kept.path())) all += content;
  CHECK(contains(all, "00000004.png"));
}

TEST_CASE("a kept image is decoded to find damage", "[pack]") {
  const TemporaryFolder folder;
  const auto jpeg = codec::test::encode_jpeg(codec::test::pattern(90, 60));
  std::vector<MemorySample> samples;
  samples.push_back({"plain.jpg", jpeg, 0});
  samples.push_back({"turned.jpg", codec::test::with_exif(jpeg, 6), 0});
  samples.push_back({"mirrored.jpg", codec::test::with_exif(jpeg, 2), 0});
  samples.push_back({"cut.jpg", jpeg, 0});
  samples.back().bytes.resize(jpeg.size() - 40);
  const auto source = in_memory(std::move(samples));
  auto job = job_for(folder.path());
  for (const std::uint32_t short_side : {0u, 200u}) {  // no image is larger
    job.recipe.short_side = short_side;
    job.out = folder.string() + '/' + std::to_string(short_side);
    const auto packed = run_pack(source, job);
    REQUIRE(packed.fault_count == 1);
    CHECK(packed.faults[0].name == "cut.jpg");
    CHECK(packed.faults[0].kind == FaultKind::truncated);
    CHECK(packed.stored_bytes == packed.source_bytes);
    const auto index = shards::read_index(job.out + "/index.weir");
    REQUIRE(index.samples.size() == 3);
    CHECK(index.samples[0].height == 60);
    CHECK(index.samples[1].height == 0);
    CHECK(index.samples[1].width == 0);
    CHECK(index.samples[2].width == 90);
  }
}

TEST_CASE("the first bad sample ends a pack that leaves none out", "[pack]") {
  const TemporaryFolder folder;
  auto job = job_for(folder.path());
  job.skip_faults = false;
  try {
    run_pack(mixed_source(), job);
    FAIL("was packed");
  } catch (const Error& e) {
    CHECK(e.code() == Errc::sample_failed);
    CHECK(contains(e.what(), "dir/7.jpg: truncated"));
  }
  CHECK_FALSE(std::filesystem::exists(folder / "index.weir"));
}

TEST_CASE("a pack keeps within its budget, and refuses what never fits", "[pack]") {
  const TemporaryFolder folder;
  std::vector<MemorySample> samples;
  for (int i = 0; i < 12; ++i)
    samples.push_back({std::to_string(i) + ".jpg",
                       codec::test::encode_jpeg(codec::test::pattern(i == 5 ? 2400 : 600, 500)),
                       0});
  auto job = job_for(folder.path());
  job.workers = 4;
  job.shard_bytes = 1 << 20;
  job.budget_bytes = 20 << 20;
  job.max_sample_bytes = 350 << 10;
  const auto packed = run_pack(in_memory(std::move(samples)), job);
  CHECK(packed.memory.peak <= job.budget_bytes);
  CHECK(packed.samples == 11);
  REQUIRE(packed.fault_count == 1);
  CHECK(packed.faults[0].kind == FaultKind::memory);
}

TEST_CASE("GNU tar and Python list a shard and extract it", "[pack]") {
  const TemporaryFolder folder, out;
  run_pack(mixed_source(3), job_for(folder.path()));
  const auto shard = (folder / "shard-000000.tar").string();
  for (const char* const name : {"said", "tar"}) std::filesystem::create_directory(out / name);
  const auto list = out.string() + "/said/list";
  REQUIRE(std::system(("tar --numeric-owner -tvf " + shard + " > " + list).c_str()) == 0);
  const auto text = files_in(out / "said").at("list");
  CHECK(contains(text, "-rw-r--r-- 0/0 "));
  CHECK(contains(text, " 1970-01-01 "));
  CHECK(contains(text, " 00000000.jpg\n"));
  CHECK(contains(text, " 00000002.cls\n"));
  REQUIRE(std::system(("tar -C " + out.string() + "/tar -xf " + shard).c_str()) == 0);
  const auto extracted = files_in(out / "tar");
  CHECK(extracted.size() == 6);
  CHECK(extracted.at("00000001.cls") == "0");
  const auto index = index_in(folder);
  CHECK(extracted.at("00000001.jpg") == bytes_of(folder, index, index.samples[1]));
  const auto script = "import tarfile; t = tarfile.open('" + shard + "'); t.extractall('" +
                      out.string() + "/python'); " +
                      "print([(m.name, m.offset_data, m.size) for m in t][2])";
  REQUIRE(std::system(("python3 -c \"" + script + "\" > " + list).c_str()) == 0);
  const auto& second = index.samples[1];
  CHECK(files_in(out / "python") == extracted);
  CHECK(files_in(out / "said").at("list") == "('00000001.jpg', " + std::to_string(second.offset) +
                                                 ", " + std::to_string(second.bytes) + ")\n");
}
