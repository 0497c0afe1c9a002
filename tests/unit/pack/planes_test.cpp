#include <filesystem>

#include "codec/decoder.hpp"
#include "fixture.hpp"
#include "pack/done_shards.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"
#include "unit/codec/support.hpp"
#include "weir/loader.hpp"
#include "weir/shards.hpp"
#include "weir/source.hpp"

using namespace weir;
using namespace weir::test;
using codec::test::pattern;
using codec::test::Pixels;

namespace {

/// Values without any order, two bytes each for 16-bit formats, the high one first.
Pixels some_values(ImageSize size, std::size_t pixel, std::uint32_t seed = 0) {
  Pixels values(size.height * size.width * pixel);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<std::uint8_t>((i + seed) * 2'654'435'761u >> 15);
  return values;
}

std::vector<std::byte> png_of(const Pixels& values, ImageSize size,
                              const codec::test::PngStyle& style) {
  return codec::test::encode_png(size.width, size.height, values, style);
}

/// A mask of a palette.
std::vector<std::byte> mask_of(ImageSize size, std::uint32_t seed = 0) {
  return png_of(some_values(size, 1, seed), size, {.colour = 3});
}

AnySource one_sample(std::vector<std::byte> bytes) {
  return in_memory({{"photo", std::move(bytes), 3}});
}

AnySource with_mask(std::vector<std::byte> image, std::vector<std::byte> mask) {
  return with_plane(one_sample(std::move(image)), "mask", one_sample(std::move(mask)));
}

/// The pixels of a file at its own size.
Pixels pixels_of(std::span<const std::byte> encoded, PixelFormat format) {
  const auto read = codec::test::run({.fit = codec::test::own_size, .pixels = format}, encoded);
  REQUIRE(read);
  return read.row;
}

/// By the formula of SAMPLE.md alone.
Pixels nearest(const Pixels& from, ImageSize size, ImageSize to, std::size_t pixel) {
  Pixels out;
  for (std::size_t y = 0; y < to.height; ++y)
    for (std::size_t x = 0; x < to.width; ++x) {
      const auto row = (2 * y + 1) * size.height / (2 * to.height);
      const auto column = (2 * x + 1) * size.width / (2 * to.width);
      const auto at =
          from.begin() + static_cast<std::ptrdiff_t>((row * size.width + column) * pixel);
      out.insert(out.end(), at, at + static_cast<std::ptrdiff_t>(pixel));
    }
  return out;
}

/// The planes of the only sample of a pack, as the library reads them. Those it lacks are empty.
std::vector<std::vector<std::byte>> packed_planes(const TemporaryFolder& folder,
                                                  std::vector<ShardPlane> planes) {
  MemorySink sink;
  const auto read = tar_shards(folder.string(), {.planes = std::move(planes)}).read(0, sink);
  std::vector<std::vector<std::byte>> bytes;
  for (std::size_t i = 0; i < read.planes.size(); ++i)
    bytes.emplace_back(read.planes[i].begin(), read.planes[i].end());
  return bytes;
}
std::vector<std::byte> packed_mask(const TemporaryFolder& folder) {
  return packed_planes(folder, {{"mask", "mask.png"}}).at(0);
}

std::string why_not(const AnySource& source, const pack::Job& job) {
  try {
    run_pack(source, job);
  } catch (const Error& e) {
    return e.what();
  }
  return "packed";
}

}  // namespace

TEST_CASE("a plane shrinks with its image and keeps its ratio", "[pack][planes]") {
  const ImageSize full{60, 90}, half{30, 45}, twice{120, 180};
  const auto classes = some_values(full, 1), millimetres = some_values(half, 2);
  const auto colours = png_of(some_values(twice, 3), twice, {});
  auto source =
      with_mask(codec::test::encode_jpeg(pattern(90, 60)), png_of(classes, full, {.colour = 3}));
  source = with_plane(source, "depth",
                      one_sample(png_of(millimetres, half, {.depth = 16, .colour = 0})));
  source = with_plane(source, "view", one_sample(colours));
  const TemporaryFolder folder;
  auto job =
      job_for(folder.path(), source,
              {{.name = "mask"},
               {.name = "depth", .pixels = PixelFormat::stored16},
               {.name = "view", .pixels = PixelFormat::rgb8, .filter = Filter::antialiased}});
  job.recipe.short_side = 32;
  const auto packed = run_pack(source, job);
  CHECK(packed.samples == 1);
  const std::vector<ShardPlane> members{
      {"mask", "mask.png"}, {"depth", "depth.png"}, {"view", "view.png"}};
  const auto planes = packed_planes(folder, members);
  REQUIRE(planes.size() == 3);
  CHECK(pixels_of(planes[0], PixelFormat::stored8) == nearest(classes, full, {32, 48}, 1));
  CHECK(pixels_of(planes[1], PixelFormat::stored16) ==
        nearest(
            pixels_of(png_of(millimetres, half, {.depth = 16, .colour = 0}), PixelFormat::stored16),
            half, {16, 24}, 2));
  CHECK(pixels_of(planes[2], PixelFormat::rgb8) ==
        codec::test::run(
            {.fit = {.out = {64, 96}, .fit = Fit::stretch}, .filter = Filter::antialiased}, colours)
            .row);

  // A loader takes them for planes of the image.
  Options options{.shape = {32, 48}, .fit = Fit::stretch, .batch = 1};
  options.planes = {{.name = "mask"},
                    {.name = "depth", .pixels = PixelFormat::stored16, .scale = {1, 2}},
                    {.name = "view", .pixels = PixelFormat::rgb8, .scale = {2, 1}}};
  Loader loader(tar_shards(folder.string(), {.planes = members}), options);
  for (auto& batch : loader.stream({})) {
    const auto mask = batch.plane("mask").pixels().pixels;
    CHECK(Pixels(mask.begin(), mask.end()) == nearest(classes, full, {32, 48}, 1));
    CHECK(batch.plane("view").statuses()[0] == PlaneStatus::ok);
  }
  CHECK(loader.report().fault_count == 0);
}

TEST_CASE("sides of a reduced plane are rounded and never 0", "[pack][planes]") {
  // 200 x 122 becomes 52 x 32.
  const TemporaryFolder folder;
  const ImageSize thin{1, 26};
  const auto source = with_mask(codec::test::encode_jpeg(pattern(200, 122)), mask_of(thin));
  auto job = job_for(folder.path(), source, {{.name = "mask"}});
  job.recipe.short_side = 32;
  run_pack(source, job);
  CHECK(pixels_of(packed_mask(folder), PixelFormat::stored8) ==
        nearest(some_values(thin, 1), thin, {1, 7}, 1));
}

TEST_CASE("a mask lies on an image that was turned upright", "[pack][planes]") {
  const TemporaryFolder folder;
  const ImageSize upright{90, 60};
  const auto source = with_mask(
      codec::test::with_exif(codec::test::encode_jpeg(pattern(90, 60)), 6), mask_of(upright));
  run_pack(source, job_for(folder.path(), source, {{.name = "mask"}}));
  CHECK(pixels_of(packed_mask(folder), PixelFormat::stored8) ==
        nearest(some_values(upright, 1), upright, {60, 40}, 1));
}

TEST_CASE("a PNG of a plane that is not reduced keeps its bytes", "[pack][planes]") {
  const ImageSize size{20, 30};
  const auto mask = mask_of(size);
  // The image becomes a JPEG.
  const auto image = png_of(some_values(size, 3), size, {});
  for (const std::uint32_t short_side : {0u, 40u}) {
    const TemporaryFolder folder;
    const auto source = with_mask(image, mask);
    auto job = job_for(folder.path(), source, {{.name = "mask"}});
    job.recipe.short_side = short_side;
    run_pack(source, job);
    CHECK(packed_mask(folder) == mask);
  }
  // One extension for all: a reader names it.
  std::string pgm = "P5 30 20 255\n";
  for (const auto value : some_values(size, 1)) pgm += static_cast<char>(value);
  const auto bytes = std::as_bytes(std::span(pgm));
  const auto source = with_mask(image, {bytes.begin(), bytes.end()});
  const TemporaryFolder folder, kept;
  auto job = job_for(folder.path(), source, {{.name = "mask"}});
  run_pack(source, job);
  CHECK(pixels_of(packed_mask(folder), PixelFormat::stored8) == some_values(size, 1));
  job.out = kept.string();
  job.recipe.short_side = 0;
  run_pack(source, job);
  CHECK(packed_planes(kept, {{"mask", "mask.pnm"}}).at(0).size() == pgm.size());
}

TEST_CASE("an absent plane stays absent if it is optional", "[pack][planes]") {
  const auto images = in_memory({{"a", codec::test::encode_jpeg(pattern(90, 60)), 0},
                                 {"b", codec::test::encode_jpeg(pattern(90, 60)), 0}});
  const auto source =
      with_plane(images, "mask", in_memory({{"b", mask_of({60, 90}), 0}}), MissingPlane::absent);
  for (const std::uint32_t short_side : {0u, 40u}) {
    const TemporaryFolder folder;
    auto job = job_for(folder.path(), source, {{.name = "mask", .optional = true}});
    job.recipe.short_side = short_side;
    CHECK(run_pack(source, job).samples == 2);
    CHECK(packed_mask(folder).empty());
    // The same folder, but now a mask must be there.
    auto required = job_for(folder.path(), source, {{.name = "mask"}});
    required.recipe.short_side = short_side;
    CHECK(contains(why_not(source, required),
                   "with 'plane mask stored8 optional', and now it is 'plane mask stored8'"));
    const TemporaryFolder other;
    required.out = other.string();
    const auto packed = run_pack(source, required);
    REQUIRE(packed.fault_count == 1);
    CHECK(packed.faults[0].name == "a");
    CHECK(packed.faults[0].reason == "plane mask: the sample has none");
  }
}

TEST_CASE("a broken plane is a fault of its sample", "[pack][planes]") {
  const ImageSize size{60, 90};
  const auto jpeg = codec::test::encode_jpeg(pattern(90, 60));
  auto cut = mask_of(size), corrupt = mask_of(size);
  cut.resize(cut.size() - 100);
  for (std::size_t i = 1200; i < 1300; ++i) corrupt[i] ^= std::byte{0x55};
  const struct {
    std::vector<std::byte> mask;
    FaultKind kind;
    const char* reason;
  } rows[] = {
      {cut, FaultKind::truncated, "plane mask: "},
      {corrupt, FaultKind::corrupt, "plane mask: "},
      {jpeg, FaultKind::unsupported, "plane mask: b: JPEG"},
      {png_of(some_values(size, 3), size, {}), FaultKind::unsupported,
       "plane mask: b: PNG has colours, and stored formats have one value; use rgb8"},
      {png_of(some_values(size, 2), size, {.depth = 16, .colour = 0}), FaultKind::unsupported,
       "plane mask: b: PNG with values of 16 bits; use stored16"},
  };
  for (const auto& row : rows)
    for (const std::uint32_t short_side : {0u, 40u, 80u})
      for (const bool optional : {false, true}) {
        const TemporaryFolder folder;
        const auto source = with_plane(in_memory({{"a", jpeg, 0}, {"b", jpeg, 0}}), "mask",
                                       in_memory({{"a", mask_of(size), 0}, {"b", row.mask, 0}}));
        auto job = job_for(folder.path(), source, {{.name = "mask", .optional = optional}});
        job.recipe.short_side = short_side;
        const auto packed = run_pack(source, job);
        CAPTURE(row.reason, short_side);
        REQUIRE(packed.fault_count == 1);
        CHECK(packed.faults[0].name == "b");
        CHECK(packed.faults[0].kind == row.kind);
        CHECK(contains(packed.faults[0].reason, row.reason));
      }
}

TEST_CASE("memory of planes is charged and bounded as the image's is", "[pack][planes]") {
  const ImageSize size{300, 400};
  const auto jpeg = codec::test::encode_jpeg(pattern(400, 300));
  std::vector<MemorySample> images, depths;
  for (int i = 0; i < 12; ++i) {
    const bool large = i == 5;
    const ImageSize own{size.height * (large ? 4 : 1), size.width * (large ? 4 : 1)};
    images.push_back({std::to_string(i), jpeg, 0});
    depths.push_back(
        {std::to_string(i), png_of(some_values(own, 2), own, {.depth = 16, .colour = 0}), 0});
  }
  const auto source = with_plane(in_memory(images), "depth", in_memory(depths));
  const TemporaryFolder folder;
  auto job = job_for(folder.path(), source, {{.name = "depth", .pixels = PixelFormat::stored16}});
  job.recipe.short_side = 200;
  job.workers = 4;
  job.shard_bytes = 1 << 20;
  job.budget_bytes = 22 << 20;
  job.max_sample_bytes = 3 << 20;
  const auto packed = run_pack(source, job);
  CHECK(packed.memory.peak <= job.budget_bytes);
  CHECK(packed.samples == 11);
  REQUIRE(packed.fault_count == 1);
  CHECK(packed.faults[0].name == "5");
  CHECK(packed.faults[0].kind == FaultKind::memory);
  // Its bytes alone are too many. Below, those of decoding and encoding are.
  CHECK(contains(packed.faults[0].reason, "needs "));
  const TemporaryFolder second;
  job.out = second.string();
  job.max_sample_bytes = 800 << 10;
  job.skip_faults = false;
  CHECK(contains(why_not(source, job), "0: memory: plane depth: 0: needs "));
  job.budget_bytes = 12 << 20;
  CHECK(contains(why_not(source, job), "`memory.budget_bytes` = 12582912: must be at least"));
}

TEST_CASE("the need of a sample has all of its planes' results", "[pack][planes]") {
  const ImageSize size{150, 200};
  auto source = one_sample(codec::test::encode_jpeg(pattern(200, 150)));
  std::vector<PlaneOptions> planes;
  for (const auto* const name : {"a", "b", "c"}) {
    source =
        with_plane(source, name, one_sample(png_of(some_values(size, 6), size, {.depth = 16})));
    planes.push_back({.name = name, .pixels = PixelFormat::rgb16});
  }
  const TemporaryFolder folder;
  auto job = job_for(folder.path(), source, planes);
  job.recipe.short_side = 120;
  const auto packed = run_pack(source, job);
  const auto record = shards::read_index((folder / pack::record_name(0)).string());
  const auto need = pack::origin_of(record, record.samples.at(0)).need;
  CHECK(packed.memory.peak - packed.memory[Account::index] <= need);
  CHECK(packed.memory.peak - packed.memory[Account::index] > need * 3 / 4);
}

TEST_CASE("a pack with planes goes on to the files of one run", "[pack][planes]") {
  std::vector<MemorySample> masks;
  for (std::uint32_t i = 0; i < 24; i += 2)
    masks.push_back({"dir/" + std::to_string(i) + ".png", mask_of({90 - 2 * i, 60 + 7 * i}, i), 0});
  const auto with = [&](auto files) {
    return with_plane(mixed_source(), "mask", in_memory(std::move(files)), MissingPlane::absent);
  };
  const auto source = with(masks);
  const TemporaryFolder one, eight, parts;
  auto job = job_for(one.path(), source, {{.name = "mask", .optional = true}});
  job.workers = 1;
  CHECK(run_pack(source, job).samples == 21);
  job.out = eight.string();
  job.workers = 8;
  run_pack(source, job);
  CHECK(files_in(one.path()) == files_in(eight.path()));

  job.out = parts.string();
  job.workers = 2;
  for (int stops = 0;; ++stops) {
    REQUIRE(stops < 20);
    std::stop_source stop;
    job.stop = stop.get_token();
    job.on_fault = [&](const Fault&) {
      if (stops < 2) stop.request_stop();
    };
    if (!run_pack(source, job).stopped) break;
  }
  job.stop = {};
  job.on_fault = {};
  CHECK(files_in(parts.path()) == files_in(one.path()));
  std::filesystem::remove(parts / "shard-000001.tar");
  run_pack(source, job);
  CHECK(files_in(parts.path()) == files_in(one.path()));

  const auto grey = job_for(parts.path(), source,
                            {{.name = "mask", .pixels = PixelFormat::grey8, .optional = true}});
  CHECK(contains(why_not(source, grey),
                 "with 'plane mask stored8 optional', and now it is "
                 "'plane mask grey8 optional'; name a new folder"));
  CHECK(contains(why_not(source, job_for(parts.path())), "and now it is 'short-side 40'"));
  masks[3].bytes.push_back(std::byte{0});  // behind the end, but other bytes
  CHECK(contains(why_not(with(masks), job), "its bytes differ"));
}

TEST_CASE("planes that a recipe does not name are not read", "[pack][planes]") {
  const TemporaryFolder folder;
  auto source = with_mask(codec::test::encode_jpeg(pattern(90, 60)), mask_of({60, 90}));
  source = with_plane(source, "depth", one_sample({std::byte{1}}));  // would be broken
  CHECK(run_pack(source, job_for(folder.path(), source, {{.name = "mask"}})).samples == 1);
  const auto shard = files_in(folder.path()).at("shard-000000.tar");
  CHECK(contains(shard, "00000000.mask.png"));
  CHECK_FALSE(contains(shard, "depth"));
}

TEST_CASE("annotations become members, and a pack compares them", "[pack]") {
  const auto images = [] { return synthetic(3, {20, 30}); };
  const auto source = with_annotations(images(), std::vector<std::string>{"one", "", "three"});
  const TemporaryFolder folder;
  auto job = job_for(folder.path(), source, {});
  job.recipe.short_side = GENERATE(0u, 16u);
  job.recipe.annotation = "txt";
  const auto made = run_pack(source, job);
  CHECK(made.samples == 3);
  CHECK(made.unfit == (job.recipe.short_side == 0 ? 0 : 2));
  const auto packed = tar_shards(folder.string(), {.annotation = "txt", .needs_annotation = true});
  CHECK(packed.annotation_bytes() == 5);
  Loader loader(packed, {.shape = {8, 8}, .annotation_bytes = ByteBound::measured, .batch = 3});
  const auto batch = *loader.stream().next();
  CHECK(batch.annotation_text(0) == "one");
  CHECK(batch.annotation_text(1).empty());
  CHECK(batch.annotation_text(2) == "three");
  CHECK(run_pack(source, job).kept_shards == 1);
  job.recipe.annotation = "json";
  CHECK_THAT(why_not(source, job), has_text("annotation txt"));
}
