#include <set>
#include <utility>

#include "support.hpp"
#include "support/catch.hpp"
#include "weir/error.hpp"
#include "weir/transform.hpp"

namespace weir::codec::test {
namespace {

/// An image in which every block of `block` pixels encodes its position in the smaller image.
Raster places(std::uint32_t width, std::uint32_t height, std::uint32_t block) {
  Raster raster{width, height, 3, Pixels(std::size_t{width} * height * 3)};
  for (std::uint32_t y = 0; y < height; ++y)
    for (std::uint32_t x = 0; x < width; ++x) {
      auto* const pixel = raster.values.data() + (std::size_t{y} * width + x) * 3;
      pixel[0] = static_cast<std::uint8_t>(y / block);
      pixel[1] = static_cast<std::uint8_t>(x / block);
      pixel[2] = 9;
    }
  return raster;
}

ImageView view(const Raster& raster) {
  return {raster.values.data(), {raster.height, raster.width}, std::size_t{raster.width} * 3};
}

struct Cut {
  Pixels row;
  std::vector<std::byte> side;
};

Cut cut(const TransformOptions& transform, ImageSize first, ImageSize second, const Raster& image,
        const Raster& other, std::uint64_t position) {
  Cut out{Pixels(image_bytes(first, PixelFormat::rgb8)),
          std::vector<std::byte>(image_bytes(second, PixelFormat::rgb8))};
  const ImageView planes[]{view(other)};
  DecodedSample sample{.image = view(image),
                       .planes = planes,
                       .row = {out.row.data(), first, std::size_t{first.width} * 3},
                       .side = out.side,
                       .random = Random(1, 0, position)};
  transform.apply(sample);
  return out;
}

}  // namespace

TEST_CASE("pair_crop cuts and mirrors both images in the same way") {
  for (const auto& [a, b] : {std::pair{1u, 4u}, {4u, 1u}, {1u, 1u}, {3u, 1u}}) {
    const ImageSize first{5 * a, 6 * a}, second{5 * b, 6 * b};
    const auto transform = pair_crop(first, second);
    const auto image = places(20 * a, 10 * a, a), other = places(20 * b, 10 * b, b);
    std::set<std::pair<int, int>> corners;
    int mirrored = 0;
    for (std::uint64_t position = 0; position < 500; ++position) {
      const auto out = cut(transform, first, second, image, other, position);
      const auto at = [&](std::uint32_t y, std::uint32_t x, std::size_t c) {
        return int{out.row[(std::size_t{y} * first.width + x) * 3 + c]};
      };
      const bool flipped = at(0, 0, 1) > at(0, first.width - 1, 1);
      const int top = at(0, 0, 0), left = flipped ? at(0, first.width - 1, 1) : at(0, 0, 1);
      // Windows begin at a pixel of the smaller image, so both show the same pixels of it.
      for (std::uint32_t y = 0; y < 5; ++y)
        for (std::uint32_t x = 0; x < 6; ++x) {
          const int column = left + static_cast<int>(flipped ? 5 - x : x);
          REQUIRE(at(y * a, x * a, 0) == top + static_cast<int>(y));
          REQUIRE(at(y * a + a - 1, x * a + a - 1, 1) == column);
          const auto place = ((std::size_t{y} * b + b - 1) * second.width + x * b) * 3;
          REQUIRE(std::to_integer<int>(out.side[place]) == top + static_cast<int>(y));
          REQUIRE(std::to_integer<int>(out.side[place + 1]) == column);
        }
      corners.insert({top, left});
      mirrored += flipped ? 1 : 0;
    }
    CHECK(corners.size() == 6u * 15u);  // every possible window
    CHECK((mirrored > 190 && mirrored < 310));
  }
}

TEST_CASE("pair_crop without flips never mirrors") {
  const auto image = places(20, 10, 1);
  const auto transform = pair_crop({5, 6}, {5, 6}, false);
  for (std::uint64_t position = 0; position < 50; ++position) {
    const auto out = cut(transform, {5, 6}, {5, 6}, image, image, position);
    CHECK(out.row[1] < out.row[4]);
  }
}

TEST_CASE("pair_crop refuses what is no pair for it") {
  CHECK_THROWS_WITH(pair_crop({5, 6}, {10, 13}), weir::test::has_text("second = 10x13"));
  CHECK_THROWS_AS(pair_crop({5, 6}, {0, 0}), Error);
  CHECK_THROWS_AS(pair_crop({0, 6}, {0, 6}), Error);
  const auto small = places(20, 10, 1), large = places(80, 40, 4), tiny = places(4, 4, 1);
  const auto transform = pair_crop({5, 6}, {20, 24});
  const auto refusal = [&](const Raster& image, const Raster& other, ImageSize second = {20, 24}) {
    try {
      (void)cut(transform, {5, 6}, second, image, other, 0);
    } catch (const SampleError& error) {
      CHECK(error.kind() == FaultKind::unsupported);
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refusal(small, large).empty());
  CHECK(refusal(small, small) ==
        "pair_crop: the images are 10x20 and 10x20, the windows 5x6 and 20x24");
  CHECK(refusal(tiny, places(16, 16, 4)) == "pair_crop: the image is 4x4, the window 5x6");
  CHECK(refusal(small, large, {5, 6}).find("1440 side bytes; the loader has rows of 5x6 and 90") !=
        std::string::npos);
  CHECK(refusal(small, {}) == "pair_crop: the sample has no second image");
}

}  // namespace weir::codec::test
