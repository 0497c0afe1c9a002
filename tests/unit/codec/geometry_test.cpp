#include <algorithm>
#include <cmath>

#include "base/random.hpp"
#include "codec/decoder.hpp"
#include "encoders.hpp"
#include "support/catch.hpp"

namespace weir::codec {

namespace {

Window window_of(const Rect& source, const Rect& target, ImageSize image) {
  return {.source = source, .target = target, .flip = {}, .image = image};
}

}  // namespace

TEST_CASE("center takes the centred rectangle that short_side implies") {
  const FitSpec spec{.out = {224, 224}, .fit = Fit::center, .short_side = 256};
  // s = 375/256: 224 * s = 328.125 -> 328.
  CHECK(choose_window({375, 500}, spec, 0) ==
        window_of({86, 23, 328, 328}, {0, 0, 224, 224}, {375, 500}));
  CHECK(choose_window({500, 375}, spec, 0) ==
        window_of({23, 86, 328, 328}, {0, 0, 224, 224}, {500, 375}));
  // s = 1: no scaling.
  CHECK(choose_window({256, 256}, spec, 0).source == Rect{16, 16, 224, 224});
  // s = 1/256: one pixel remains.
  CHECK(choose_window({1, 1}, spec, 0).source == Rect{0, 0, 1, 1});
  // A wide output on an upright image: width round(300*100/300) = 100, height round(200*100/300) = 67.
  CHECK(choose_window({400, 100}, {{200, 300}, Fit::center, 300}, 0).source ==
        Rect{0, 166, 100, 67});
}

TEST_CASE("center rounds halves up and never leaves the image") {
  // 5 * 3 / 6 = 2.5 -> 3.
  CHECK(choose_window({4, 3}, {{5, 5}, Fit::center, 6}, 0).source == Rect{0, 0, 3, 3});
  for (std::uint32_t width = 1; width < 40; ++width) {
    for (std::uint32_t height = 1; height < 40; ++height) {
      const auto r =
          pixels_of(choose_window({height, width}, {{17, 32}, Fit::center, 32}, 0).source);
      CAPTURE(width, height);
      REQUIRE(r.width >= 1);
      REQUIRE(r.height >= 1);
      REQUIRE(r.x + r.width <= width);
      REQUIRE(r.y + r.height <= height);
    }
  }
}

TEST_CASE("letterbox lies at the top left and enlarges only if asked") {
  FitSpec spec{.out = {224, 224}, .fit = Fit::letterbox};
  spec.letterbox.align = LetterboxOptions::Align::top_left;
  CHECK(choose_window({375, 500}, spec, 0).target == Rect{0, 0, 224, 168});
  CHECK(choose_window({100, 50}, spec, 0).target == Rect{0, 0, 112, 224});
  spec.letterbox.enlarge = false;
  CHECK(choose_window({100, 50}, spec, 0).target == Rect{0, 0, 50, 100});
  CHECK(choose_window({375, 500}, spec, 0).target == Rect{0, 0, 224, 168});
  spec.letterbox.align = LetterboxOptions::Align::center;
  CHECK(choose_window({100, 50}, spec, 0).target == Rect{87, 62, 50, 100});
}

TEST_CASE("random keeps to the ranges of area and aspect") {
  FitSpec spec{.out = {8, 8}, .fit = Fit::random};
  spec.random = {.area = {0.25, 0.5}, .aspect = {2, 2}};
  spec.flip = {.horizontal = 0, .vertical = 1};
  for (std::uint64_t draw = 0; draw < 200; ++draw) {
    const auto window = choose_window({1000, 2000}, spec, draw);
    const double share = window.source.width * window.source.height / 2e6;
    CHECK((share > 0.249 && share < 0.501));
    CHECK(std::abs(window.source.width / window.source.height - 2) < 0.01);
    CHECK(window.flip == Flip{.horizontal = false, .vertical = true});
  }
}

TEST_CASE("letterbox keeps the aspect and centres on the output") {
  const FitSpec spec{.out = {224, 224}, .fit = Fit::letterbox};
  CHECK(choose_window({375, 500}, spec, 0) ==
        window_of({0, 0, 500, 375}, {0, 28, 224, 168}, {375, 500}));
  CHECK(choose_window({500, 375}, spec, 0) ==
        window_of({0, 0, 375, 500}, {28, 0, 168, 224}, {500, 375}));
  CHECK(choose_window({100, 100}, spec, 0).target == Rect{0, 0, 224, 224});
  CHECK(choose_window({1, 10000}, spec, 0).target == Rect{0, 111, 224, 1});
}

TEST_CASE("stretch takes all of the image to all of the output") {
  CHECK(choose_window({17, 31}, {{224, 100}, Fit::stretch}, 9) ==
        window_of({0, 0, 31, 17}, {0, 0, 100, 224}, {17, 31}));
}

TEST_CASE("random draws stay within the area and aspect ranges") {
  const FitSpec spec{.out = {224, 224}, .fit = Fit::random};
  int flips = 0;
  double sum_of_scale = 0, smallest = 1, largest = 0;
  constexpr int draws = 4000;
  for (std::uint64_t draw = 0; draw < draws; ++draw) {
    const Window w = choose_window({800, 1000}, spec, draw);
    REQUIRE(w == choose_window({800, 1000}, spec, draw));
    REQUIRE(w.source.x + w.source.width <= 1000);
    REQUIRE(w.source.y + w.source.height <= 800);
    const double scale = w.source.width * double(w.source.height) / 800'000,
                 ratio = w.source.width / double(w.source.height);
    REQUIRE(ratio > 0.745);
    REQUIRE(ratio < 1.342);
    REQUIRE(scale > 0.079);
    smallest = std::min(smallest, scale);
    largest = std::max(largest, scale);
    sum_of_scale += scale;
    flips += w.flip.horizontal ? 1 : 0;
  }
  CHECK(std::abs(flips - draws / 2) < 130);  // four standard deviations
  CHECK(smallest < 0.1);
  CHECK(largest > 0.9);
  // Uniform on 0.08-1 has the mean 0.54. Crops that do not fit are drawn again, which lowers it a little.
  CHECK(sum_of_scale / draws > 0.45);
  CHECK(sum_of_scale / draws < 0.56);
}

TEST_CASE("random falls back to the largest rectangle of allowed aspect") {
  const FitSpec spec{.out = {8, 8}, .fit = Fit::random};
  CHECK(choose_window({3, 900}, spec, 1).source == Rect{448, 0, 4, 3});
  CHECK(choose_window({900, 3}, spec, 1).source == Rect{0, 448, 3, 4});
}

TEST_CASE("a turn maps upright pixels to stored ones as EXIF defines") {
  // A stored image of 3 x 2 pixels. The positions of the upright image's first pixel and its right
  // neighbour in it, by the EXIF table (0th row and column of each orientation).
  struct Row {
    std::uint8_t orientation;
    PixelRect first, right;
  };
  constexpr Row rows[] = {{1, {0, 0, 1, 1}, {1, 0, 1, 1}}, {2, {2, 0, 1, 1}, {1, 0, 1, 1}},
                          {3, {2, 1, 1, 1}, {1, 1, 1, 1}}, {4, {0, 1, 1, 1}, {1, 1, 1, 1}},
                          {5, {0, 0, 1, 1}, {0, 1, 1, 1}}, {6, {0, 1, 1, 1}, {0, 0, 1, 1}},
                          {7, {2, 1, 1, 1}, {2, 0, 1, 1}}, {8, {2, 0, 1, 1}, {2, 1, 1, 1}}};
  for (const auto& row : rows) {
    CAPTURE(int(row.orientation));
    const Orientation orientation = Orientation::of_exif(row.orientation);
    CHECK(orientation.stored(PixelRect{0, 0, 1, 1}, 3, 2) == row.first);
    CHECK(orientation.stored(PixelRect{1, 0, 1, 1}, 3, 2) == row.right);
    const std::uint32_t upright_width = orientation.transpose ? 2 : 3;
    CHECK(orientation.flipped({true, false}).stored(PixelRect{upright_width - 1, 0, 1, 1}, 3, 2) ==
          row.first);
    CHECK(orientation.flipped({true, false}).flipped({true, false}) == orientation);
  }
}

TEST_CASE("a plane shows what its image shows") {
  const struct {
    const char* what;
    Window window;
    ImageSize plane;
    Ratio scale;
    Crop shown;
  } cases[] = {
      {"a plane of the same size",
       {Rect{3, 5, 20, 10}, {0, 0, 8, 4}, {true, false}, {30, 40}},
       {30, 40},
       {1, 1},
       {Rect{3, 5, 20, 10}, {0, 0, 8, 4}, {true, false}}},
      {"half as large",
       {Rect{3, 5, 20, 10}, {0, 0, 8, 4}, {}, {30, 40}},
       {15, 20},
       {1, 1},
       {Rect{1.5, 2.5, 10, 5}, {0, 0, 8, 4}, {}}},
      {"a row of twice the size",
       {Rect{3, 5, 20, 10}, {0, 0, 8, 4}, {}, {30, 40}},
       {30, 40},
       {2, 1},
       {Rect{3, 5, 20, 10}, {0, 0, 16, 8}, {}}},
      {"a letterbox whose edges are in the middle of pixels",
       {Rect{0, 0, 40, 20}, {0, 3, 16, 8}, {}, {20, 40}},
       {20, 40},
       {1, 2},
       // Lines 1.5 to 5.5 of the row: the middles of lines 1 (at 1.5) to 5 are inside.
       {Rect{0, -2.5, 40, 25}, {0, 1, 8, 5}, {}}},
      {"a row of 5 columns, half as wide",
       {Rect{0, 0, 5, 4}, {0, 0, 5, 4}, {}, {4, 5}},
       {2, 3},
       {1, 2},
       {Rect{0, 0, 3.6, 2}, {0, 0, 3, 2}, {}}},
      {"the same, mirrored",
       {Rect{0, 0, 5, 4}, {0, 0, 5, 4}, {true, false}, {4, 5}},
       {2, 3},
       {1, 2},
       {Rect{-0.6, 0, 3.6, 2}, {0, 0, 3, 2}, {true, false}}},
      {"a letterbox that no pixel is in",
       {Rect{0, 0, 40, 20}, {0, 5, 8, 1}, {}, {20, 40}},
       {20, 40},
       {1, 8},
       {}},
  };
  for (const auto& c : cases) {
    CAPTURE(c.what);
    const auto shown = crop_of(c.window, c.plane, c.scale);
    CHECK(shown.target == c.shown.target);
    CHECK(shown.flip == c.shown.flip);
    CHECK(shown.source.x == Approx(c.shown.source.x));
    CHECK(shown.source.y == Approx(c.shown.source.y));
    CHECK(shown.source.width == Approx(c.shown.source.width));
    CHECK(shown.source.height == Approx(c.shown.source.height));
  }
}

TEST_CASE("each pixel of a crop shows what the window maps to it") {
  RandomStream random(3);
  const auto draw = [&](std::uint32_t low, std::uint32_t high) {
    return low + static_cast<std::uint32_t>(random.below(high - low + 1));
  };
  int rows = 0, beyond = 0;
  for (int i = 0; i < 100'000; ++i) {
    const ImageSize image{draw(1, 90), draw(1, 90)};
    const Ratio scales[] = {{1, 1}, {1, 2}, {2, 1}, {1, 3}, {3, 2}};
    const auto scale = scales[random.below(5)];
    FitSpec spec{.out = {6 * draw(1, 8), 6 * draw(1, 8)}, .fit = Fit(random.below(5))};
    spec.short_side = std::max(spec.out.height, spec.out.width) + draw(0, 9);
    spec.flip = {.horizontal = 0.5, .vertical = 0.5};
    spec.patch = {.padding = 6 * draw(0, 2), .pad_small = true};
    spec.grid = scale.denominator;
    spec.letterbox.enlarge = random.below(2) == 1;
    const auto window = choose_window(image, spec, random.next());
    // A file of another size, too.
    const ImageSize file{image.height * draw(1, 2), image.width * draw(1, 2)};
    const auto row = scaled_by(spec.out, scale);
    const auto crop = crop_of(window, file, scale);
    CAPTURE(i, int(spec.fit), image.height, image.width, window.flip.horizontal);
    REQUIRE(crop.target.x + crop.target.width <= row.width);
    REQUIRE(crop.target.y + crop.target.height <= row.height);
    if (crop.target.width == 0) continue;
    ++rows;
    // Along one side: the pixels of the crop and those beside it.
    const double s = double{1} * scale.numerator / scale.denominator;
    for (std::uint32_t x = 0; x < row.width; ++x) {
      const auto at = window.to_image(Point{(x + 0.5) / s, 0}).x * file.width / image.width;
      const bool shown = x >= crop.target.x && x < crop.target.x + crop.target.width;
      if (!shown) {
        ++beyond;
        const bool in_target = (x + 0.5) / s > window.target.x + 1e-9 &&
                               (x + 0.5) / s < window.target.x + window.target.width - 1e-9;
        REQUIRE((!in_target || at < 1e-9 || at > file.width - 1e-9));
        continue;
      }
      auto along = x - crop.target.x + 0.5;
      if (crop.flip.horizontal) along = crop.target.width - along;
      const double source = crop.source.x + along * crop.source.width / crop.target.width;
      REQUIRE(std::abs(source - at) < 1e-6);
      REQUIRE((source > -1e-9 && source < file.width + 1e-9));
    }
  }
  CHECK(rows > 90'000);
  CHECK(beyond > 90'000);
}

TEST_CASE("a patch and its larger planes are never resampled") {
  const ImageSize image{50, 60};
  const auto file_of = [&](std::uint32_t scale) {
    return test::encode_jpeg(test::pattern(image.width * scale, image.height * scale));
  };
  for (const std::uint32_t scale : {1u, 2u, 4u}) {
    const auto file = file_of(scale);
    const auto out = scaled_by({32, 40}, {scale, 1});
    for (std::uint64_t draw = 0; draw < 60; ++draw) {
      FitSpec spec{.out = {32, 40}, .fit = Fit::patch, .flip = {0.5, 0.5}};
      spec.patch.padding = draw % 2 == 0 ? 4 : 0;
      const auto crop = crop_of(choose_window(image, spec, draw),
                                {image.height * scale, image.width * scale}, {scale, 1});
      const auto plan = plan_decode(*probe_image(file, {}), crop, out, {});
      CAPTURE(scale, draw);
      CHECK(!plan.placement.resamples());
      CHECK(RowSink::memory_bytes(plan.placement) == 0);
      CHECK(plan.reduce == 1);
    }
  }
}

TEST_CASE("a patch cuts planes whose odd sides are rounded") {
  const ImageSize image{51, 61};
  for (const auto side : {0u, 1u}) {
    const auto file = test::encode_jpeg(test::pattern(30 + side, 25 + side));
    for (std::uint64_t draw = 0; draw < 20; ++draw) {
      const FitSpec spec{.out = {32, 40}, .fit = Fit::patch, .grid = 2};
      const auto crop =
          crop_of(choose_window(image, spec, draw), {25 + side, 30 + side}, {1, 2}, true);
      CHECK(!plan_decode(*probe_image(file, {}), crop, {16, 20}, {}).placement.resamples());
    }
  }
}

TEST_CASE("a patch cuts planes of any ratio") {
  const ImageSize image{66, 66}, file{154, 154};
  const auto info = *probe_image(test::encode_jpeg(test::pattern(154, 154)), {});
  for (std::uint64_t draw = 0; draw < 50; ++draw) {
    const FitSpec spec{.out = {33, 33}, .fit = Fit::patch, .grid = 3};
    const auto crop = crop_of(choose_window(image, spec, draw), file, {7, 3}, true);
    CHECK(!plan_decode(info, crop, {77, 77}, {}).placement.resamples());
  }
}

TEST_CASE("no pixel is decoded that only a rounding error touches") {
  for (std::uint32_t side = 4; side < 12; ++side) {
    const ImageSize file{9 * side, 9 * side}, image{7 * side, 7 * side};
    const auto info = *probe_image(test::encode_jpeg(test::pattern(9 * side, 9 * side)), {});
    for (std::uint32_t from = 0; from < side; ++from)
      for (std::uint32_t to = from + 1; to < side; ++to) {
        const Window window{.source = {0, 7.0 * from, 7.0 * side, 7.0 * (to - from)},
                            .target = {0, 0, 9, 9},
                            .image = image};
        const auto source = plan_decode(info, crop_of(window, file), {9, 9}, {}).placement.source;
        CAPTURE(side, from, to);
        REQUIRE(source.y == 9 * from);
        REQUIRE(source.height == 9 * (to - from));
      }
  }
}

}  // namespace weir::codec
