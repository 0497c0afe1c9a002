#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "codec/geometry.hpp"
#include "contract/laws/fixture.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"
#include "unit/codec/encoders.hpp"

using namespace weir;
using namespace weir::test;

namespace {

using codec::test::encode_png;
using codec::test::Pixels;

/// JPEGs of several sizes and all EXIF orientations with a white square on black, and a mask of half
/// the size with the same, as it is upright.
class Marked {
 public:
  static constexpr std::uint64_t count = 24;
  static constexpr std::uint32_t side = 8;  ///< of the square

  std::uint64_t size() const { return count; }
  std::vector<std::string> planes() const { return {"mask"}; }
  Encoded read(std::uint64_t i, ByteSink& sink) const {
    Encoded sample{.bytes = put(image(i), sink), .label = static_cast<std::int64_t>(i)};
    (void)sample.planes.add(sink.wants(0) ? put(mask(i), sink) : std::span<const std::byte>());
    return sample;
  }
  std::string name(std::uint64_t i) const { return "marked/" + std::to_string(i); }
  std::uint64_t index_bytes() const { return 0; }

  static std::uint8_t orientation(std::uint64_t i) { return static_cast<std::uint8_t>(1 + i % 8); }
  /// Upright. Even sides, so that the mask has half of each.
  static ImageSize size_of(std::uint64_t i) {
    return {static_cast<std::uint32_t>(60 + 8 * (i % 5)),
            static_cast<std::uint32_t>(56 + 12 * (i % 4))};
  }
  /// At even coordinates, too.
  static Rect square(std::uint64_t i) {
    const auto [height, width] = size_of(i);
    return {double(width / 8 * 2 + 2 * (i % 7)), double(height / 8 * 2 + 2 * (i % 5)), side, side};
  }

 private:
  static std::span<std::byte> put(const std::vector<std::byte>& file, ByteSink& sink) {
    const auto bytes = sink.take(file.size());
    std::ranges::copy(file, bytes.begin());
    return bytes;
  }
  static bool bright(std::uint64_t i, std::uint32_t x, std::uint32_t y) {
    const auto at = square(i);
    return x >= at.x && x < at.x + side && y >= at.y && y < at.y + side;
  }
  static std::vector<std::byte> image(std::uint64_t i) {
    const auto [height, width] = size_of(i);
    const auto turn = codec::Orientation::of_exif(orientation(i));
    codec::test::Raster raster{
        turn.transpose ? height : width, turn.transpose ? width : height, 3, {}};
    raster.values.resize(std::size_t{3} * height * width);
    for (std::uint32_t y = 0; y < height; ++y)
      for (std::uint32_t x = 0; x < width; ++x) {
        const auto at = turn.stored(codec::PixelRect{x, y, 1, 1}, raster.width, raster.height);
        std::fill_n(&raster.values[3 * (std::size_t{at.y} * raster.width + at.x)], 3,
                    bright(i, x, y) ? 255 : 0);
      }
    return codec::test::with_exif(codec::test::encode_jpeg(raster), orientation(i));
  }
  static std::vector<std::byte> mask(std::uint64_t i) {
    const auto [height, width] = size_of(i);
    Pixels pixels;
    for (std::uint32_t y = 0; y < height; y += 2)
      for (std::uint32_t x = 0; x < width; x += 2) pixels.push_back(bright(i, x, y) ? 255 : 0);
    return encode_png(width / 2, height / 2, pixels, {.colour = 0});
  }
};

/// The centre of what is bright, in continuous coordinates.
Point centre_of(const ImageView& view) {
  double sum = 0, x_sum = 0, y_sum = 0;
  for (std::uint32_t y = 0; y < view.shape.height; ++y)
    for (std::uint32_t x = 0; x < view.shape.width; ++x) {
      // Near an edge, black is not 0 in a JPEG.
      const double value = std::max(0, view.data[y * view.row_stride + x] - 40);
      sum += value;
      x_sum += value * (x + 0.5);
      y_sum += value * (y + 0.5);
    }
  return {x_sum / sum, y_sum / sum};
}

/// The marked square is where the window says, within half a pixel, if all of it is visible.
int check_marker(const Window& window, std::uint64_t index, const ImageView& row, double scale) {
  const auto mapped = window.to_row(Marked::square(index));
  const Rect image{0, 0, double(window.image.width), double(window.image.height)};
  const auto shown = window.clipped(window.to_row(image));
  // One more pixel on each side, which the filter reads.
  const Rect around{mapped.x - 2, mapped.y - 2, mapped.width + 4, mapped.height + 4};
  if (around.x < shown.x || around.y < shown.y || around.x + around.width > shown.x + shown.width ||
      around.y + around.height > shown.y + shown.height)
    return 0;
  const auto seen = centre_of(row);
  CHECK(std::abs(seen.x - (mapped.x + mapped.width / 2) * scale) <= 0.5 + 1e-9);
  CHECK(std::abs(seen.y - (mapped.y + mapped.height / 2) * scale) <= 0.5 + 1e-9);
  return 1;
}

Options marked_options(Fit fit) {
  auto options = small_options();
  options.shape = {40, 48};
  options.fit = fit;
  options.pixels = PixelFormat::grey8;
  options.flip = {.horizontal = 0.5, .vertical = 0.5};
  options.planes = {{.name = "mask", .scale = {1, 2}}};
  options.order = Order::shuffle();
  options.seed = 7;
  return options;
}

void check_rows(Loader& loader, std::uint64_t epochs) {
  std::uint64_t rows = 0;
  int seen = 0;
  for (auto& batch : loader.stream({.epochs = epochs}))
    for (std::uint32_t i = 0; i < batch.size(); ++i, ++rows) {
      const auto& window = batch.window(i);
      const auto index = batch.indices()[i];
      CAPTURE(rows, index);
      REQUIRE(window.image == Marked::size_of(index));
      REQUIRE(window.orientation == Marked::orientation(index));
      seen += check_marker(window, index, batch.image(i), 1);
      check_marker(window, index, batch.plane("mask").image(i), 0.5);
    }
  CHECK(rows == epochs * Marked::count);
  CHECK(seen * 4 > static_cast<int>(rows));
}

WindowOptions windows(std::function<Window(const WindowInput&, Random&)> choose) {
  return {.choose = std::move(choose), .name = "test"};
}

}  // namespace

TEST_CASE("a marker is where the window says, for every fit", "[windows]") {
  const auto fit = GENERATE(Fit::center, Fit::random, Fit::stretch, Fit::letterbox, Fit::patch);
  auto options = marked_options(fit);
  if (fit == Fit::patch) options.patch = {.padding = 10};
  if (fit == Fit::random) options.random = {.area = {0.3, 1}};
  CAPTURE(int(fit));
  Loader loader(Marked(), options);
  check_rows(loader, 6);
}

TEST_CASE("windows of images with their own sizes are the whole", "[windows]") {
  auto options = marked_options(Fit::center);
  options.sizes.mode = GENERATE(Sizes::padded, Sizes::ragged);
  Loader loader(Marked(), options);
  check_rows(loader, 2);
}

TEST_CASE("a cache of rows keeps their windows", "[windows]") {
  auto options = marked_options(Fit::center);
  options.flip = {};
  options.cache = {.keep = Cache::decoded, .max_bytes = 1u << 20};
  Loader loader(Marked(), options);
  check_rows(loader, 3);
  CHECK(loader.report().cache.hits > 0);
}

TEST_CASE("a user's window is the built-in with the same rectangle", "[windows]") {
  auto options = marked_options(Fit::random);
  Loader built_in(Marked(), options);
  std::map<std::pair<std::uint64_t, std::uint64_t>, Window> chosen;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Pixels> rows;
  const auto pixels = [](const ImageView& view) {
    return Pixels(view.data, view.data + view.bytes());
  };
  for (auto& batch : built_in.stream({.epochs = 2}))
    for (std::uint32_t i = 0; i < batch.size(); ++i) {
      const std::pair key{batch.epoch(), batch.indices()[i]};
      chosen[key] = batch.window(i);
      rows[key] = pixels(batch.image(i));
    }
  options.fit = Fit::center;
  options.flip = {};
  options.window = windows([&](const WindowInput& in, Random&) {
    CHECK(in.label == static_cast<std::int64_t>(in.index));
    CHECK(in.image == Marked::size_of(in.index));
    CHECK(in.row == ImageSize{40, 48});
    return chosen.at({in.epoch, in.index});
  });
  options.workers = 1;  // CHECK is not thread-safe
  Loader own(Marked(), options);
  for (auto& batch : own.stream({.epochs = 2}))
    for (std::uint32_t i = 0; i < batch.size(); ++i) {
      const std::pair key{batch.epoch(), batch.indices()[i]};
      CHECK(batch.window(i) == chosen.at(key));
      CHECK(pixels(batch.image(i)) == rows.at(key));
    }
}

TEST_CASE("a user's window may reach beyond the image", "[windows]") {
  auto options = marked_options(Fit::center);
  options.flip = {};
  options.fill = {77};
  options.window = windows([](const WindowInput& in, Random& random) {
    const double w = in.image.width, h = in.image.height;
    return Window{.source = {-w * random.uniform(0, 0.5), -h / 4, w * 1.5, h * 1.5},
                  .flip = {random.below(2) == 1, random.below(2) == 1}};
  });
  Loader loader(Marked(), options);
  for (auto& batch : loader.stream({.epochs = 2}))
    for (std::uint32_t i = 0; i < batch.size(); ++i) {
      const auto& window = batch.window(i);
      const auto view = batch.image(i);
      // A quarter of the height above the image is a sixth of the row.
      const auto y = window.flip.vertical ? view.shape.height - 1 : 0;
      CHECK(view.data[y * view.row_stride + 20] == 77);
    }
}

TEST_CASE("windows do not depend on workers, queue and reads", "[windows]") {
  const auto windows_of = [](std::uint32_t workers, std::uint32_t depth, std::uint32_t ahead) {
    auto options = marked_options(Fit::center);
    options.flip = {};
    options.window = windows([](const WindowInput& in, Random& random) {
      return Window{.source = {random.uniform(0, 8), random.uniform(0, 8), in.image.width / 2.0,
                               in.image.height / 2.0}};
    });
    options.workers = workers;
    options.queue.max_queue_size = depth;
    options.io.read_ahead = ahead;
    Loader loader(Marked(), options);
    std::vector<Rect> all;
    for (auto& batch : loader.stream({.epochs = 2}))
      for (std::uint32_t i = 0; i < batch.size(); ++i) all.push_back(batch.window(i).source);
    return all;
  };
  const auto first = windows_of(1, 1, 0);
  CHECK(first == windows_of(3, 4, 0));
  CHECK(first == windows_of(2, 2, 5));
  CHECK(first[0] != first[Marked::count]);
}

TEST_CASE("a window of each epoch lets a cache keep rows", "[windows]") {
  auto options = marked_options(Fit::center);
  options.flip = {};
  options.window = windows([](const WindowInput& in, Random& random) {
    CHECK(in.position == 0);
    return Window{.source = {random.uniform(0, 9), 0, 40, 40}};
  });
  options.workers = 1;
  options.cache = {.keep = Cache::decoded, .max_bytes = 1u << 20};
  CHECK_THROWS_WITH(Loader(Marked(), options), has_text("window.same_each_epoch"));
  options.window.same_each_epoch = true;
  Loader loader(Marked(), options);
  std::map<std::uint64_t, Window> first;
  for (auto& batch : loader.stream({.epochs = 3}))
    for (std::uint32_t i = 0; i < batch.size(); ++i) {
      const auto [at, made] = first.emplace(batch.indices()[i], batch.window(i));
      CHECK(at->second == batch.window(i));
    }
  CHECK(loader.report().cache.hits == 2 * Marked::count);
}

TEST_CASE("a bad window is a fault that shows its rectangle", "[windows]") {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               inf = std::numeric_limits<double>::infinity();
  const struct {
    Window window;
    const char* text;
  } cases[] = {
      {{.source = {0, 0, 0, 5}}, "source x = 0, y = 0, 0 wide, 5 high: it must not be empty"},
      {{.source = {0, 0, -3, 5}}, "-3 wide"},
      {{.source = {nan, 0, 3, 5}}, "nan"},
      {{.source = {0, 0, inf, 5}}, "inf wide"},
      {{.source = {0, 0, 1e9, 5}}, "1e+09 wide"},
      {{.source = {500, 500, 10, 10}}, "shows nothing of an image of"},
      {{.source = {0, 0, 9, 9}, .target = {10.6, 10.6, 0.8, 0.8}}, "the target x = 10.6, y = 10.6"},
      {{.source = {0, 0, 9, 9}, .target = {40, 0, 20, 9}}, "target x = 40, y = 0, 20 wide"},
      {{.source = {0, 0, 9, 9}, .target = {0, 0, 5, 0}}, "it must lie in the row of 40x48"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    auto options = marked_options(Fit::center);
    options.flip = {};
    options.faults.policy = OnFault::blank;
    options.window = windows([&](const WindowInput& in, Random&) {
      return in.index == 5 ? c.window : Window{.source = {0, 0, 20, 20}};
    });
    Loader loader(Marked(), options);
    std::uint64_t rows = 0;
    for (auto& batch : loader.stream({.epochs = 1}))
      for (std::uint32_t i = 0; i < batch.size(); ++i, ++rows)
        CHECK(batch.window(i).empty() == (batch.statuses()[i] == RowStatus::blank));
    CHECK(rows == Marked::count);
    const auto faults = loader.report().faults;
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].index == 5);
    CHECK(faults[0].stage == Stage::decode);
    CHECK_THAT(faults[0].reason, has_text(c.text));
    const auto probed = probe(Marked(), options);
    REQUIRE(probed.faults.size() == 1);
    CHECK(probed.faults[0].reason == faults[0].reason);
  }
}

TEST_CASE("a window function that throws fails its sample alone", "[windows]") {
  auto options = marked_options(Fit::center);
  options.flip = {};
  options.faults.policy = OnFault::skip;
  options.window = windows([](const WindowInput& in, Random&) -> Window {
    if (in.index == 3) throw SampleError(FaultKind::limit, "no box");
    if (in.index == 4) throw 5;
    return {.source = {0, 0, 20, 20}};
  });
  Loader loader(Marked(), options);
  std::uint64_t rows = 0;
  for (auto& batch : loader.stream({.epochs = 1})) rows += batch.size();
  CHECK(rows == Marked::count);
  auto faults = loader.report().faults;
  std::ranges::sort(faults, {}, &Fault::index);
  REQUIRE(faults.size() >= 2);
  CHECK(faults.front().reason == "no box");
  CHECK(faults.front().kind == FaultKind::limit);
  CHECK_THAT(faults.back().reason, has_text("`window.choose` threw"));
}

TEST_CASE("options that a window function replaces are refused", "[windows]") {
  const auto refused = [](auto change, const char* text) {
    auto options = marked_options(Fit::center);
    options.flip = {};
    options.window = windows([](const WindowInput&, Random&) { return Window{}; });
    change(options);
    CHECK_THROWS_WITH(Loader(Marked(), options), has_text(text));
  };
  refused([](Options& o) { o.fit = Fit::random; }, "`fit`: `window.choose` decides it");
  refused([](Options& o) { o.short_side = 60; }, "`short_side`: `window.choose`");
  refused([](Options& o) { o.flip.vertical = 0.5; }, "`flip`: `window.choose`");
  refused([](Options& o) { o.window.name = ""; }, "window.name");
  refused([](Options& o) { o.window.name = "crop\ncentre"; }, "1 to 64 printable ASCII characters");
  refused([](Options& o) { o.window.choose = {}; }, "`window.name` and `window.same_each_epoch`");
  refused(
      [](Options& o) {
        o.planes = {};
        o.pixels = PixelFormat::rgb8;
        o.decode = Decode::none;
      },
      "is for decoded images");
}

TEST_CASE("a transform sees the window and may set it", "[windows]") {
  auto options = marked_options(Fit::random);
  const auto input = GENERATE(TransformInput::fitted, TransformInput::decoded);
  options.transform = {.apply =
                           [](DecodedSample& sample) {
                             if (sample.window.image != Marked::size_of(sample.index))
                               throw std::logic_error("no window");
                             sample.window.source = {1, 2, 3, 4};
                           },
                       .input = input};
  Loader loader(Marked(), options);
  for (auto& batch : loader.stream({.epochs = 1}))
    for (std::uint32_t i = 0; i < batch.size(); ++i)
      CHECK(batch.window(i).source == Rect{1, 2, 3, 4});
}

TEST_CASE("a window tells the EXIF orientation that was applied", "[windows]") {
  auto options = marked_options(Fit::center);
  Loader loader(Marked(), options);
  auto batch = *loader.stream().next();
  CHECK(batch.window(0).orientation == Marked::orientation(batch.indices()[0]));
  options.exif = Exif::ignore;
  options.planes = {};
  Loader as_stored(Marked(), options);
  CHECK(as_stored.stream().next()->window(0).orientation == 1);
  options.flip = {};
  options.window = windows([](const WindowInput&, Random&) {
    return Window{.source = {0, 0, 20, 20}, .orientation = 7};
  });
  Loader own(Marked(), options);
  CHECK(own.stream().next()->window(0).orientation == 1);
  CHECK_THROWS_WITH(batch.window(batch.size()), has_text("Batch::window(i = "));
}
