#include <algorithm>
#include <cstring>
#include <map>

#include "contract/laws/fixture.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"
#include "unit/codec/encoders.hpp"

using namespace weir;
using namespace weir::test;

namespace {

using codec::test::encode_png;
using codec::test::Pixels;
using codec::test::Raster;

constexpr std::uint32_t source_height = 24, source_width = 40;

/// The value at a pixel of the image, which a mask of the same size has as well.
std::uint8_t value_at(std::uint64_t i, std::uint32_t y, std::uint32_t x) {
  return static_cast<std::uint8_t>(i * 7 + y * 5 + x * 3);
}

/// PNGs of source_height x source_width whose red is value_at(); a grey "mask" of the same values and "times" times
/// the size; a depth of 16 bits with value_at() * 257. What `missing` names is empty.
class Planed {
 public:
  explicit Planed(std::uint64_t count = 12, std::uint32_t times = 1)
      : count_(count), times_(times) {}
  std::uint64_t size() const { return count_; }
  std::vector<std::string> planes() const { return {"mask", "depth"}; }
  Encoded read(std::uint64_t i, ByteSink& sink) const {
    ++reads_->image;
    Encoded sample{.bytes = put(image(i), sink), .label = static_cast<std::int64_t>(i)};
    const auto plane = [&](std::size_t p, auto make) {
      const bool wanted = sink.wants(p) && !(p == 0 && lacks(i));
      if (wanted) ++(p == 0 ? reads_->mask : reads_->depth);
      (void)sample.planes.add(wanted ? std::span<const std::byte>(put(make(i), sink))
                                     : std::span<const std::byte>());
    };
    plane(0, [&](auto at) { return i == broken ? std::vector<std::byte>(9) : mask(at); });
    plane(1, [&](auto at) { return depth(at); });
    return sample;
  }
  std::string name(std::uint64_t i) const { return "planed/" + std::to_string(i); }
  std::uint64_t index_bytes() const { return 0; }

  bool lacks(std::uint64_t i) const { return missing_every > 0 && i % missing_every == 1; }
  std::uint64_t missing_every = 0, broken = UINT64_MAX;
  struct Reads {
    std::atomic<std::uint64_t> image{0}, mask{0}, depth{0};
  };
  const Reads& reads() const { return *reads_; }

 private:
  static std::span<std::byte> put(const std::vector<std::byte>& file, ByteSink& sink) {
    const auto bytes = sink.take(file.size());
    std::ranges::copy(file, bytes.begin());
    return bytes;
  }
  static std::vector<std::byte> image(std::uint64_t i) {
    Pixels pixels;
    for (std::uint32_t y = 0; y < source_height; ++y)
      for (std::uint32_t x = 0; x < source_width; ++x)
        pixels.insert(pixels.end(), {value_at(i, y, x), 0, 9});
    return encode_png(source_width, source_height, pixels, {});
  }
  std::vector<std::byte> mask(std::uint64_t i) const {
    Pixels pixels;
    for (std::uint32_t y = 0; y < source_height * times_; ++y)
      for (std::uint32_t x = 0; x < source_width * times_; ++x)
        pixels.push_back(value_at(i, y / times_, x / times_));
    return encode_png(source_width * times_, source_height * times_, pixels, {.colour = 0});
  }
  static std::vector<std::byte> depth(std::uint64_t i) {
    Pixels pixels;
    for (std::uint32_t y = 0; y < source_height; ++y)
      for (std::uint32_t x = 0; x < source_width; ++x) {
        const auto value = value_at(i, y, x);
        pixels.insert(pixels.end(), {value, value});
      }
    return encode_png(source_width, source_height, pixels, {.depth = 16, .colour = 0});
  }

  std::uint64_t count_;
  std::uint32_t times_;
  std::shared_ptr<Reads> reads_ = std::make_shared<Reads>();
};

const PlaneOptions mask{.name = "mask", .fill = {255}};
const PlaneOptions depth_map{.name = "depth", .pixels = PixelFormat::stored16};

Options plane_options(std::vector<PlaneOptions> planes = {mask}) {
  auto options = small_options();
  options.shape = {source_height, source_width};
  options.fit = Fit::stretch;  // every pixel is where it was
  options.planes = std::move(planes);
  options.order = Order::shuffle();
  return options;
}

std::uint16_t wide_at(const ImageView& image, std::uint32_t y, std::uint32_t x) {
  std::uint16_t value;
  std::memcpy(&value, image.data + y * image.row_stride + std::size_t{2} * x, sizeof value);
  return value;
}

/// Red of the image, mask and depth are the same values at each pixel.
void check_same(const Batch& batch) {
  for (std::uint32_t row = 0; row < batch.size(); ++row) {
    const auto image = batch.image(row), over = batch.plane("mask").image(row),
               deep = batch.plane("depth").image(row);
    REQUIRE(over.shape == image.shape);
    REQUIRE(deep.shape == image.shape);
    CHECK(batch.plane("mask").statuses()[row] == PlaneStatus::ok);
    for (std::uint32_t y = 0; y < image.shape.height; ++y)
      for (std::uint32_t x = 0; x < image.shape.width; ++x) {
        const auto red = image.data[y * image.row_stride + std::size_t{3} * x];
        REQUIRE(over.data[y * over.row_stride + x] == red);
        REQUIRE(wide_at(deep, y, x) == red * 257);
      }
  }
}

/// `count` PNGs of 12x10 times `scale`, each with its own colour in the corner.
class Scaled {
 public:
  Scaled(std::uint64_t count, std::uint32_t scale, std::uint64_t grows_at = UINT64_MAX)
      : count_(count), scale_(scale), grows_at_(grows_at) {}
  std::uint64_t size() const { return count_; }
  Encoded read(std::uint64_t i, ByteSink& sink) const {
    auto image = Raster{12 * scale_, 10 * scale_, 3, {}};
    image.values.resize(std::size_t{image.width} * image.height * 3);
    for (std::uint32_t y = 0; y < image.height; ++y)
      for (std::uint32_t x = 0; x < image.width; ++x) {
        auto* const pixel = image.values.data() + (std::size_t{y} * image.width + x) * 3;
        pixel[0] = static_cast<std::uint8_t>(y / scale_);
        pixel[1] = static_cast<std::uint8_t>(x / scale_);
        pixel[2] = static_cast<std::uint8_t>(i);
      }
    auto encoded = encode_png(image.width, image.height, image.values, {});
    if (i == grows_at_) encoded.resize(encoded.size() + 130'000);  // after IEND, so ignored
    const auto bytes = sink.take(encoded.size());
    std::memcpy(bytes.data(), encoded.data(), encoded.size());
    return {bytes, static_cast<std::int64_t>(i)};
  }
  std::string name(std::uint64_t i) const {
    return std::to_string(scale_) + "/" + std::to_string(i);
  }
  std::uint64_t index_bytes() const { return 0; }

 private:
  std::uint64_t count_;
  std::uint32_t scale_;
  std::uint64_t grows_at_;
};

const PlaneOptions large{.name = "large", .pixels = PixelFormat::rgb8, .scale = {2, 1}};

Options patch_options() {
  auto options = small_options();
  options.shape = {4, 6};
  options.fit = Fit::patch;
  options.flip.horizontal = 0.5;
  options.planes = {large};
  options.order = Order::shuffle();
  return options;
}

}  // namespace

TEST_CASE("planes show the window of their image in every size mode", "[planes]") {
  auto options = plane_options({mask, depth_map});
  const auto mode = GENERATE(Sizes::fixed, Sizes::padded, Sizes::ragged);
  options.sizes.mode = mode;
  options.fit = Fit::center;
  if (mode == Sizes::fixed) {
    // A plain crop: one pixel of the file for each of the row.
    options.shape = {10, 10};
    options.short_side = 24;
  }
  options.io.read_ahead = GENERATE(0u, 5u);
  const auto keep = GENERATE(Cache::nothing, Cache::encoded, Cache::decoded);
  options.cache = {.keep = keep};
  if (keep != Cache::nothing) options.cache.max_bytes = 1u << 20;
  Loader loader(Planed(), options);
  std::uint64_t rows = 0;
  for (auto& batch : loader.stream({.epochs = 2})) {
    check_same(batch);
    rows += batch.size();
    CHECK_THROWS_WITH(batch.plane("masks"),
                      has_text("the planes of Options::planes are mask, depth"));
    if (mode == Sizes::ragged)
      CHECK_THROWS_WITH(batch.plane("mask").pixels(),
                        has_text("`sizes.mode` = ragged") && has_text("use BatchPlane::image(i)"));
  }
  CHECK(rows == 24);
  const auto report = loader.report();
  REQUIRE(report.planes.size() == 2);
  CHECK(report.planes[0].name == "mask");
  CHECK(report.planes[0].ok == 24);
  CHECK(report.planes[1].ok == 24);
  if (keep != Cache::nothing) CHECK(report.cache.hits > 0);
  CHECK(report.planes[0].decodes == (keep == Cache::decoded ? report.cache.misses : 24));
}

TEST_CASE("a random crop of a plane has the pixels of the image's crop", "[planes]") {
  auto options = plane_options({{.name = "mask", .pixels = PixelFormat::grey8}});
  options.pixels = PixelFormat::grey8;  // value_at() and small parts of blue
  options.fit = Fit::random;
  // The same file as the image and as its plane.
  class Twice : public Planed {
   public:
    std::vector<std::string> planes() const { return {"mask"}; }
    Encoded read(std::uint64_t i, ByteSink& sink) const {
      auto sample = Planed::read(i, sink);
      sample.planes = {sample.bytes};
      return sample;
    }
  };
  const auto run = [](const Options& o) {
    Loader loader(Twice(), o);
    Log log;
    for (auto& batch : loader.stream({.epochs = 2})) {
      CHECK(std::ranges::equal(batch.pixel_bytes(), batch.plane("mask").pixel_bytes()));
      log.add(batch);
    }
    return log;
  };
  const auto reference = run(options);
  for (const auto& other : on_other_machines(options)) CHECK(run(other) == reference);
}

TEST_CASE("a scaled plane has scaled rows of the same place", "[planes]") {
  auto options = plane_options({{.name = "mask", .scale = {2, 1}}});
  options.shape = {12, 12};
  options.fit = Fit::center;
  options.short_side = 24;
  Loader loader(Planed(8, 2), options);
  for (auto& batch : loader.stream({})) {
    const auto plane = batch.plane("mask").pixels();
    CHECK(plane.shape == ImageSize{24, 24});
    for (std::uint32_t row = 0; row < batch.size(); ++row)
      for (std::uint32_t y = 0; y < 24; ++y)
        for (std::uint32_t x = 0; x < 24; ++x)
          REQUIRE(plane.image(row).data[y * 24 + x] ==
                  batch.image(row).data[(y / 2 * 12 + x / 2) * 3]);
  }
}

TEST_CASE("only planes that somebody asked for are read", "[planes]") {
  const Planed source(12);
  Loader loader(source, plane_options({depth_map}));
  CHECK(drain(loader).indices.size() == 12);
  CHECK(source.reads().mask == 0);
  CHECK(source.reads().depth >= 12);
}

TEST_CASE("an optional plane that is absent or broken is fill", "[planes]") {
  auto options = plane_options();
  options.planes[0].optional = true;
  Planed source(12);
  source.missing_every = 4;
  source.broken = 3;
  const auto keep = GENERATE(Cache::nothing, Cache::decoded);
  options.cache = {.keep = keep};
  if (keep != Cache::nothing) options.cache.max_bytes = 1u << 20;
  Loader loader(source, options);
  std::map<PlaneStatus, std::uint64_t> seen;
  for (auto& batch : loader.stream({.epochs = 2}))
    for (std::uint32_t row = 0; row < batch.size(); ++row) {
      const auto status = batch.plane("mask").statuses()[row];
      const auto index = batch.indices()[row];
      ++seen[status];
      CHECK(batch.statuses()[row] == RowStatus::ok);
      CHECK((status == PlaneStatus::absent) == (index % 4 == 1));
      CHECK((status == PlaneStatus::broken) == (index == 3));
      const auto plane = batch.plane("mask").image(row);
      const bool filled = std::all_of(plane.data, plane.data + plane.bytes(),
                                      [](std::uint8_t value) { return value == 255; });
      CHECK(filled == (status != PlaneStatus::ok));
    }
  CHECK(seen == std::map<PlaneStatus, std::uint64_t>{
                    {PlaneStatus::ok, 16}, {PlaneStatus::absent, 6}, {PlaneStatus::broken, 2}});
  const auto report = loader.report();
  CHECK(report.planes[0].absent == 6);
  CHECK(report.planes[0].broken == 2);
  CHECK(report.fault_count == 0);
  REQUIRE(!report.faults.empty());
  CHECK(report.faults[0].plane == "mask");
  CHECK(report.faults[0].name == "planed/3");
}

TEST_CASE("a required plane that is absent or broken is a fault", "[planes]") {
  auto options = plane_options();
  options.faults.policy = OnFault::blank;
  Planed source(12);
  source.missing_every = 4;
  source.broken = 3;
  Loader loader(source, options);
  for (auto& batch : loader.stream({}))
    for (std::uint32_t row = 0; row < batch.size(); ++row) {
      const bool bad = batch.indices()[row] % 4 == 1 || batch.indices()[row] == 3;
      CHECK((batch.statuses()[row] == RowStatus::blank) == bad);
      CHECK((batch.plane("mask").statuses()[row] == PlaneStatus::absent) == bad);
      if (bad) CHECK(batch.plane("mask").image(row).data[0] == 255);
    }
  const auto report = loader.report();
  CHECK(report.fault_count == 4);
  CHECK(report.planes[0].ok == 8);
  for (const auto& fault : report.faults) {
    CHECK(fault.plane.empty());
    CHECK(fault.reason.starts_with(fault.index == 3 ? "plane mask: first bytes"
                                                    : "plane mask: the sample has none"));
  }
}

TEST_CASE("a plane's fault names the sizes or the format that fits", "[planes]") {
  auto options = plane_options();
  options.faults.policy = OnFault::blank;
  // A mask of another ratio.
  class Wide : public Planed {
   public:
    Encoded read(std::uint64_t i, ByteSink& sink) const {
      auto sample = Planed::read(i, sink);
      const auto file = encode_png(24, 60, Pixels(24 * 60), {.colour = 0});
      const auto bytes = sink.take(file.size());
      std::ranges::copy(file, bytes.begin());
      sample.planes = {bytes};
      return sample;
    }
  };
  const auto reason = [&](auto source, const Options& o) {
    Loader loader(source, o);
    drain(loader);
    const auto faults = loader.report().faults;
    return faults.empty() ? "" : faults[0].reason;
  };
  CHECK(reason(Wide(), options) ==
        "plane mask: it is 60x24 beside an image of 24x40: their ratios differ; see `match` = "
        "stretch");
  options.planes[0].match = PlaneMatch::stretch;
  CHECK(reason(Wide(), options).empty());
  options.planes[0] = {.name = "depth", .pixels = PixelFormat::stored8};
  CHECK(
      contains(reason(Planed(), options), "plane depth: PNG with values of 16 bits; use stored16"));
}

TEST_CASE("a transform gets planes whole or fitted, and draws made ones", "[planes]") {
  auto options = plane_options({mask, depth_map, {.name = "edges", .fill = {7}, .made = true}});
  options.shape = {12, 20};
  const bool all = GENERATE(true, false);
  options.transform = {.apply =
                           [all](DecodedSample& s) {
                             const auto& over = s.plane("mask");
                             const auto& deep = s.plane("depth");
                             const auto& edges = s.plane("edges");
                             CHECK(over.image.shape == ImageSize{source_height, source_width});
                             CHECK(over.row.data[0] == 255);
                             CHECK((deep.image.data == deep.row.data) == !all);
                             CHECK(edges.image.data == nullptr);
                             CHECK(edges.row.data[0] == 7);
                             over.row.data[0] = over.image.data[0];
                             edges.row.data[1] = 8;
                             CHECK_THROWS_AS(s.plane("none"), Error);
                           },
                       .input = TransformInput::decoded};
  if (!all) options.transform.whole = {"image", "mask"};
  Loader loader(Planed(), options);
  for (auto& batch : loader.stream({}))
    for (std::uint32_t row = 0; row < batch.size(); ++row) {
      CHECK(batch.plane("mask").image(row).data[0] == value_at(batch.indices()[row], 0, 0));
      const auto edges = batch.plane("edges").image(row);
      CHECK(std::vector<int>(edges.data, edges.data + 3) == std::vector<int>{7, 8, 7});
      CHECK(batch.plane("edges").statuses()[row] == PlaneStatus::ok);
    }
  CHECK(loader.report().fault_count == 0);
}

TEST_CASE("planes are exact bytes of the slab, and each is its own", "[planes]") {
  const auto plain = resolve(plane_options({}), 0).slab_bytes;
  const auto with = [&](PixelFormat pixels) {
    return resolve(plane_options({{.name = "mask", .pixels = pixels}}), 0).slab_bytes;
  };
  const std::uint64_t pixels = 4 * source_height * source_width, statuses = 64;
  CHECK(with(PixelFormat::stored8) == plain + pixels + statuses);
  CHECK(with(PixelFormat::stored16) == plain + 2 * pixels + statuses);
  CHECK(with(PixelFormat::rgb8) == plain + 3 * pixels + statuses);
  Loader loader(Planed(), plane_options({mask, depth_map}));
  auto stream = loader.stream({});
  CHECK(stream.next()->bytes_held() == plain + 3 * pixels + 2 * statuses);
  while (stream.next()) {
  }
  // Each stage counts the image and the planes.
  const auto report = loader.report();
  for (const auto stage : {Stage::fit, Stage::handoff, Stage::lease})
    CHECK(report.stages[static_cast<std::size_t>(stage)].bytes ==
          report.queue.samples * 6 * source_height * source_width);
}

TEST_CASE("bad options of planes name the option and the way out", "[planes]") {
  const auto refused = [](auto change) {
    auto options = plane_options();
    change(options);
    try {
      Loader loader(Planed(), options);
      return std::string("accepted");
    } catch (const Error& error) {
      CHECK(error.code() == Errc::bad_options);
      return std::string(error.what());
    }
  };
  const auto plane = [&](auto change) { return refused([&](Options& o) { change(o.planes[0]); }); };
  CHECK(contains(
      plane([](auto& p) { p.name = "nosuch"; }),
      "`planes[0].name` = nosuch: the planes of the source are mask, depth; see with_plane()"));
  CHECK(contains(plane([](auto& p) { p.name = "Mask"; }),
                 "`planes[0].name` = 'Mask': the name of a plane has 1 to 32"));
  CHECK(contains(plane([](auto& p) { p.name = "image"; }), "this is the name of the image"));
  CHECK(contains(refused([](auto& o) { o.planes.push_back(o.planes[0]); }),
                 "`planes[1].name` = 'mask': there is a plane of this name"));
  CHECK(contains(refused([](auto& o) { o.planes.resize(8, mask); }),
                 "`planes.size()` = 8: must be 0 to 7"));
  CHECK(contains(plane([](auto& p) { p.filter = Filter::bilinear; }),
                 "`planes[0].filter` = bilinear: stored values take nearest alone"));
  CHECK(contains(plane([](auto& p) { p.fill = {256}; }),
                 "`planes[0].fill[0]` = 256: must be 0 to 255"));
  CHECK(contains(plane([](auto& p) {
                   p.fill = {0, 1};
                 }),
                 "`planes[0].fill[1]` = 1: must be 0, because stored8 has no such channel"));
  CHECK(contains(plane([](auto& p) {
                   p.scale = {0, 1};
                 }),
                 "`planes[0].scale` = 0/1: must be A or A/B, each 1 to 256"));
  CHECK(contains(plane([](auto& p) {
                   p.scale = {1, 16};
                 }),
                 "`planes[0].scale` = 1/16: the sides of `shape` = 24x40 times it must be whole"));
  CHECK(contains(plane([](auto& p) { p.made = true; }),
                 "`planes[0].made` without `transform.apply`"));
  CHECK(contains(refused([](auto& o) {
                   o.transform.apply = [](DecodedSample&) {};
                   o.transform.whole = {"masks"};
                 }),
                 "`transform.whole[0]` = masks: must be image, or the name of one of planes"));
  CHECK(contains(refused([](auto& o) {
                   o = small_options();
                   o.decode = Decode::none;
                   o.planes = {mask};
                 }),
                 "is for decoded images; `decode` = none delivers"));
}

TEST_CASE("patches and flips agree with any number of workers", "[planes]") {
  auto options = patch_options();
  const auto run = [](const Options& o) {
    // One plane is longer: the memory kept for a sample must grow, and the sample is read again.
    Loader loader(with_plane(Scaled(20, 1), "large", Scaled(20, 2, 13)), o);
    Log log;
    for (auto& batch : loader.stream({.epochs = 2})) {
      for (std::uint32_t row = 0; row < batch.size(); ++row) {
        const auto image = batch.image(row), other = batch.plane("large").image(row);
        REQUIRE(other.shape == ImageSize{8, 12});
        for (std::uint32_t y = 0; y < 8; ++y)
          for (std::uint32_t x = 0; x < 12; ++x)
            REQUIRE(std::memcmp(other.data + (y * 12 + x) * 3,
                                image.data + (y / 2) * image.row_stride + x / 2 * 3, 3) == 0);
        CHECK(image.data[2] == batch.indices()[row]);
        // Red is the line of the file, green the column: nothing is resampled.
        CHECK(image.data[image.row_stride] == image.data[0] + 1);
        CHECK(std::abs(image.data[4] - image.data[1]) == 1);
      }
      log.add(batch);
    }
    CHECK(loader.report().fault_count == 0);
    return log;
  };
  const auto reference = run(options);
  CHECK(reference.indices.size() == 40);
  for (const auto& other : on_other_machines(options)) CHECK(run(other) == reference);
  options.memory.max_sample_bytes = 250'000;
  const auto index = with_plane(Scaled(20, 1), "large", Scaled(20, 2)).index_bytes();
  options.memory.budget_bytes = resolve(options, index).floor_bytes;
  CHECK(run(options) == reference);
}

TEST_CASE("all images of a sample are charged against max_sample_bytes", "[planes]") {
  auto options = patch_options();
  options.memory.max_sample_bytes = 90'000;  // the longer one has 130,000
  options.faults.policy = OnFault::blank;
  Loader loader(with_plane(Scaled(20, 1), "large", Scaled(20, 2, 13)), options);
  CHECK(std::ranges::count(drain(loader).statuses, RowStatus::blank) == 1);
  const auto faults = loader.report().faults;
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].kind == FaultKind::memory);
  CHECK(faults[0].name == "1/13");
  CHECK(contains(faults[0].reason, "plane large: 2/13: needs 13"));
}

TEST_CASE("a patch with padding is a crop of the padded image", "[planes][fit]") {
  auto options = small_options();
  options.shape = {10, 12};
  options.fit = Fit::patch;
  options.fill = {1, 2, 3};
  options.patch.padding = 4;
  options.flip = {.horizontal = 0.5, .vertical = 0.5};
  Loader loader(Scaled(40, 1), options);
  std::map<std::pair<int, int>, int> places;
  for (auto& batch : loader.stream({}))
    for (std::uint32_t row = 0; row < batch.size(); ++row) {
      const auto image = batch.image(row);
      const auto at = [&](std::uint32_t y, std::uint32_t x) {
        return image.data + y * image.row_stride + std::size_t{3} * x;
      };
      // Some pixel of the file tells where the others must be.
      int found = 0;
      for (int down = -1; down <= 1; down += 2)
        for (int across = -1; across <= 1; across += 2)
          for (int top = -30; top <= 30; ++top)
            for (int left = -30; left <= 30; ++left) {
              bool same = true;
              for (std::uint32_t y = 0; y < 10 && same; ++y)
                for (std::uint32_t x = 0; x < 12 && same; ++x) {
                  const int v = top + down * int(y), u = left + across * int(x);
                  const bool inside = v >= 0 && v < 10 && u >= 0 && u < 12;
                  const auto* const pixel = at(y, x);
                  same = inside ? pixel[0] == v && pixel[1] == u
                                : pixel[0] == 1 && pixel[1] == 2 && pixel[2] == 3;
                }
              if (!same) continue;
              ++found;
              ++places[{top, left}];
            }
      CHECK(found == 1);
    }
  CHECK(places.size() > 20);
}

TEST_CASE("an image smaller than a patch is a fault or is padded", "[planes][fit]") {
  auto options = small_options();
  options.shape = {14, 14};
  options.fit = Fit::patch;
  options.faults.policy = OnFault::blank;
  Loader loader(Scaled(4, 1), options);
  drain(loader);
  CHECK(loader.report().fault_count == 4);
  CHECK(loader.report().faults[0].reason ==
        "the image is 10x12, smaller than the patch of 14x14; see `patch.pad_small`");
  options.patch.pad_small = true;
  Loader padded(Scaled(4, 1), options);
  auto stream = padded.stream({});
  const auto batch = stream.next();
  const auto image = batch->image(0);
  CHECK(image.data[0] == 0);
  CHECK(image.data[2 * image.row_stride + 3 * 1 + 2] == batch->indices()[0]);
}

TEST_CASE("options of a fit without effect are refused with a way out", "[planes][fit]") {
  const auto refused = [](auto change) {
    auto options = small_options();
    change(options);
    try {
      resolve(options, 0);
      return std::string("accepted");
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  CHECK(contains(refused([](auto& o) { o.patch.padding = 2; }),
                 "`patch.padding` = 2: is for `fit` = patch; leave it at its default"));
  CHECK(contains(refused([](auto& o) {
                   o.random.area = {0.2, 0.7};
                 }),
                 "`random.area` = 0.2:0.7: is for `fit` = random"));
  CHECK(contains(refused([](auto& o) { o.letterbox.enlarge = false; }),
                 "`letterbox.enlarge` = false: is for `fit` = letterbox"));
  CHECK(contains(refused([](auto& o) { o.flip.vertical = 2; }),
                 "`flip.vertical` = 2: must be 0 to 1"));
  CHECK(contains(refused([](auto& o) {
                   o.fit = Fit::random;
                   o.random.area = {0.7, 0.2};
                 }),
                 "`random.area` = 0.7:0.2: must be A:B, each 0.001 to 1, and A no more than B"));
  CHECK(contains(refused([](auto& o) {
                   o.fit = Fit::patch;
                   o.patch.padding = 16;
                 }),
                 "`patch.padding` = 16: must be below 16"));
  CHECK(contains(refused([](auto& o) {
                   o.fit = Fit::patch;
                   o.patch.padding = 3;
                   o.planes = {{.name = "mask", .scale = {1, 2}}};
                 }),
                 "`patch.padding` = 3: must be a multiple of 2"));
}
