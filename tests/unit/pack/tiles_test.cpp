#include "codec/format.hpp"
#include "fixture.hpp"
#include "shards/index.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"
#include "unit/codec/support.hpp"

using namespace weir;
using namespace weir::test;
using codec::test::encode_jpeg;
using codec::test::pattern;

namespace {

pack::Job tile_job(const std::filesystem::path& out) {
  auto job = job_for(out);
  job.recipe.short_side = 0;
  job.recipe.tiles = 4;
  return job;
}

/// The images of the shards in a folder, by name.
std::map<std::string, std::vector<std::byte>> images_in(const std::filesystem::path& folder) {
  const auto index = shards::read_index((folder / "index.weir").string());
  const auto files = files_in(folder);
  std::map<std::string, std::vector<std::byte>> images;
  for (const auto& sample : index.samples) {
    const auto bytes = std::as_bytes(std::span(files.at(index.shards[sample.shard].name)));
    const auto image = bytes.subspan(sample.offset, sample.bytes);
    images[index.name(sample)] = {image.begin(), image.end()};
  }
  return images;
}

std::uint32_t interval_of(std::span<const std::byte> jpeg) {
  return codec::Decoder(codec::DecoderOptions{})
      .probe(jpeg)
      ->layout.get<codec::JpegLayout>()
      .restart_interval;
}

}  // namespace

TEST_CASE("a pack with tiles keeps all pixels and counts the images", "[pack]") {
  const TemporaryFolder folder, plain;
  auto samples = mixed_samples();
  samples.push_back({"dir/24.jpg", encode_jpeg(pattern(160, 120), {.progressive = true}), 0});
  const auto source = in_memory(std::move(samples));
  const auto packed = run_pack(source, tile_job(folder.path()));
  auto job = job_for(plain.path());
  job.recipe.short_side = 0;
  CHECK(run_pack(source, job).tiled.empty());
  CHECK(packed.samples == 22);
  CHECK(packed.fault_count == 3);
  const auto tiled = images_in(folder.path()), kept = images_in(plain.path());
  REQUIRE(tiled.size() == 22);
  REQUIRE(kept.size() == 22);
  std::map<std::uint32_t, pack::TiledImages> counted;
  for (const auto& [name, image] : tiled) {
    CAPTURE(name);
    const auto now = codec::test::run_whole(image), before = codec::test::run_whole(kept.at(name));
    REQUIRE(now);
    CHECK(now.row == before.row);
    const bool jpeg = now.info->format == &codec::jpeg_format;
    CHECK((image == kept.at(name)) == !jpeg);
    const auto row =
        (now.info->width + (now.info->channels == 1 ? 7 : 15)) / (now.info->channels == 1 ? 8 : 16);
    auto& count = counted[jpeg ? row / interval_of(image) : 0];
    ++count.images;
    count.bytes_before += kept.at(name).size();
    count.bytes += image.size();
  }
  REQUIRE(counted.size() == packed.tiled.size());
  for (const auto& [tiles, count] : packed.tiled) {
    CAPTURE(tiles);
    CHECK(count.images == counted.at(tiles).images);
    CHECK(count.bytes_before == counted.at(tiles).bytes_before);
    CHECK(count.bytes == counted.at(tiles).bytes);
  }
  CHECK(packed.tiled.at(0).images == 3);
  CHECK(interval_of(tiled.at("dir/24.jpg")) == 2);
  CHECK(packed.memory.live == packed.memory[Account::index]);
}

TEST_CASE("images that a pack makes smaller get tiles", "[pack]") {
  const TemporaryFolder folder, plain;
  auto job = tile_job(folder.path());
  job.recipe.short_side = 40;
  const auto packed = run_pack(mixed_source(), job);
  CHECK_FALSE(packed.tiled.contains(0));  // the PNG becomes a JPEG
  job.out = plain.string();
  job.recipe.tiles = 0;
  run_pack(mixed_source(), job);
  const auto tiled = images_in(folder.path()), kept = images_in(plain.path());
  REQUIRE(tiled.size() == kept.size());
  for (const auto& [name, image] : tiled) {
    CAPTURE(name);
    CHECK(interval_of(image) > 0);
    CHECK(codec::test::run_whole(image).row == codec::test::run_whole(kept.at(name)).row);
  }
}

TEST_CASE("a pack with tiles goes on, and refuses another number", "[pack]") {
  const TemporaryFolder folder;
  const auto source = mixed_source(12);
  auto job = tile_job(folder.path());
  const auto packed = run_pack(source, job);
  const auto files = files_in(folder.path());
  CHECK(contains(files.at("pack.txt"), "\ntiles 4\n"));
  std::filesystem::remove(folder / "index.weir");
  std::filesystem::remove(folder / "shard-000001.tar");
  CHECK(run_pack(source, job).kept_shards == packed.shards - 1);
  CHECK(files_in(folder.path()) == files);
  job.recipe.tiles = 8;
  CHECK_THROWS_WITH(run_pack(source, job), has_text("with 'tiles 4', and now it is 'tiles 8'"));
  job.recipe.tiles = 0;
  CHECK_THROWS_AS(run_pack(source, job), Error);
  CHECK(files_in(folder.path()) == files);
}

TEST_CASE("the coefficients of an image with tiles are on the books", "[pack]") {
  std::vector<MemorySample> samples;
  samples.push_back({"large.jpg", encode_jpeg(pattern(2000, 1500)), 0});
  samples.push_back({"small.jpg", encode_jpeg(pattern(200, 150)), 0});
  const auto source = in_memory(std::move(samples));
  for (const std::uint64_t most : {6'000'000u, 22'000'000u}) {
    const TemporaryFolder folder;
    auto job = tile_job(folder.path());
    job.max_sample_bytes = most;
    job.budget_bytes = 48 << 20;
    const auto packed = run_pack(source, job);
    const bool fits = most > 2000 * 1500 * 3;
    CAPTURE(most);
    CHECK(packed.samples == (fits ? 2 : 1));
    REQUIRE(packed.fault_count == (fits ? 0 : 1));
    if (!fits) CHECK(packed.faults[0].kind == FaultKind::memory);
    CHECK((packed.memory.peak > 2000 * 1500 * 3) == fits);
    CHECK(packed.memory.peak <= job.budget_bytes);
  }
}

TEST_CASE("a pack writes files of the same names instead of shards", "[pack]") {
  namespace fs = std::filesystem;
  const TemporaryFolder folder;
  const auto source = mixed_source(12);
  auto job = tile_job(folder.path());
  job.files = true;
  const auto packed = run_pack(source, job);
  CHECK(packed.samples == 11);
  CHECK(packed.shards == 0);
  CHECK(packed.fault_count == 1);
  const auto files = files_in(folder / "dir");
  CHECK(files.size() == 11);
  CHECK(fs::exists(folder / "pack.txt"));
  CHECK(std::as_bytes(std::span(files.at("4.jpg"))).size() == source.encoded_bytes(4));
  CHECK(interval_of(std::as_bytes(std::span(files.at("0.jpg")))) > 0);

  // What is there stays.
  fs::remove(folder / "dir/3.jpg");
  std::ofstream(folder / "dir/5.jpg") << "mine";
  const auto again = run_pack(source, job);
  CHECK(again.kept_files == 10);
  CHECK(again.samples == 11);
  auto now = files_in(folder / "dir");
  CHECK(now.at("3.jpg") == files.at("3.jpg"));
  CHECK(now.at("5.jpg") == "mine");
  job.files = false;
  CHECK_THROWS_AS(run_pack(source, job), Error);
}

TEST_CASE("a pack writes no file outside its folder", "[pack]") {
  const TemporaryFolder folder;
  const auto jpeg = encode_jpeg(pattern(40, 30));
  int jobs = 0;
  const auto refuse = [&](std::vector<std::string> names, const Order& order, const char* why) {
    std::vector<MemorySample> samples;
    for (const auto& name : names) samples.push_back({name, jpeg, 0});
    auto job = tile_job(folder.path() / std::to_string(++jobs));
    job.files = true;
    job.order = order;
    CHECK_THROWS_WITH(run_pack(in_memory(std::move(samples)), job), has_text(why));
  };
  refuse({"../up.jpg"}, {}, "it is no path within a folder");
  refuse({"a/../../up.jpg"}, {}, "it is no path within a folder");
  refuse({folder.string() + "/up.jpg"}, {}, "it is no path within a folder");
  refuse({"one.jpg", "a.jpg", "a.jpg"}, {}, "another sample has this name");
  refuse({"a/one.jpg", "b.jpg", "./a//one.jpg"}, {}, "another sample has this name");
  // So another name list can be packed into it.
  CHECK_FALSE(std::filesystem::exists(folder / std::to_string(jobs)));
  refuse({"pack.txt"}, {}, "its own file of this name");
  refuse({"pack.unfinished"}, {}, "its own file of this name");
  refuse({"one.jpg", "b.jpg"}, Order::with_replacement(4), "at most once");
  CHECK_FALSE(std::filesystem::exists(folder / "up.jpg"));
}

TEST_CASE("files keep each label, and are refused before their end", "[pack]") {
  namespace fs = std::filesystem;
  const TemporaryFolder data, folder;
  const auto jpeg = encode_jpeg(pattern(40, 30));
  const std::string bytes(reinterpret_cast<const char*>(jpeg.data()), jpeg.size());
  data.write("bad/1.jpg", bytes.substr(0, bytes.size() / 2));
  fs::create_directory(data / "empty");
  data.write("sound/1.jpg", bytes);
  auto job = tile_job(folder.path());
  job.files = true;
  job.skip_faults = false;
  CHECK_THROWS_WITH(run_pack(image_folder(data.string()), job), has_text("bad/1.jpg: truncated"));
  CHECK_THROWS_WITH(image_folder(folder.string()), has_text("has not ended"));

  // No file is there, so it can be another pack.
  job.recipe.tiles = 8;
  job.skip_faults = true;
  CHECK(run_pack(image_folder(data.string()), job).samples == 1);
  CHECK_FALSE(fs::exists(folder / "pack.unfinished"));
  const auto packed = image_folder(folder.string());
  CHECK(packed.class_names() == std::vector<std::string>{"bad", "empty", "sound"});
  CHECK(packed.label(0) == 2);
  job.skip_faults = false;
  CHECK_THROWS_WITH(run_pack(image_folder(data.string()), job), has_text("bad/1.jpg: truncated"));
  CHECK_THROWS_WITH(image_folder(folder.string()), has_text("has not ended"));
  job.skip_faults = true;

  // Classes that are no folders stay out.
  const TemporaryFolder other;
  other.write("1.jpg", bytes);
  job.out = folder.string() + "/other";
  run_pack(manifest(other.write("a.tsv", "1.jpg\t1\n"), {.classes = {"cat", "dog"}}), job);
  CHECK_FALSE(fs::exists(folder / "other/cat"));
  job.out += "2";
  run_pack(manifest(other.write("b.tsv", "1.jpg\t-1\n"), {.classes = {"../cat"}}), job);
  CHECK_FALSE(fs::exists(folder / "cat"));
}
