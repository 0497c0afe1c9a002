#include <cstring>
#include <string>

#include "base/text.hpp"
#include "weir/transform.hpp"

namespace weir {
namespace {

constexpr std::size_t rgb_bytes = pixel_bytes(PixelFormat::rgb8);

std::string sides(ImageSize shape) { return concat(shape.height, "x", shape.width); }

/// Copies the window at (y, x) to `out`, mirrored if `flip` is set.
void cut(const ImageView& from, std::size_t y, std::size_t x, bool flip, ImageSize shape,
         std::uint8_t* out) {
  const auto row_bytes = shape.width * rgb_bytes;
  for (std::uint32_t row = 0; row < shape.height; ++row, out += row_bytes) {
    const auto* line = from.data + (y + row) * from.row_stride + x * rgb_bytes;
    if (!flip) {
      std::memcpy(out, line, row_bytes);
      continue;
    }
    for (std::uint32_t i = 0; i < shape.width; ++i)
      std::memcpy(out + i * rgb_bytes, line + (shape.width - 1 - i) * rgb_bytes, rgb_bytes);
  }
}

/// The size ratio of two shapes. One of the two numbers is 1.
struct Ratio {
  std::uint32_t first = 1, second = 1;
  bool holds(ImageSize a, ImageSize b) const noexcept {
    return std::uint64_t{a.height} * second == std::uint64_t{b.height} * first &&
           std::uint64_t{a.width} * second == std::uint64_t{b.width} * first;
  }
};

Ratio ratio_of(ImageSize first, ImageSize second) {
  const auto times = [](std::uint32_t large, std::uint32_t small) {
    return small == 0 ? 0 : large / small;
  };
  const Ratio ratio = first.height >= second.height ? Ratio{times(first.height, second.height), 1}
                                                    : Ratio{1, times(second.height, first.height)};
  if (first.height == 0 || first.width == 0 || ratio.first == 0 || ratio.second == 0 ||
      !ratio.holds(first, second)) {
    throw Error(Errc::bad_options, Stage::fit,
                "pair_crop(first = " + sides(first) + ", second = " + sides(second) +
                    "): the sides of one must be a whole number of times the other's");
  }
  return ratio;
}

}  // namespace

TransformOptions pair_crop(ImageSize first, ImageSize second, bool flip) {
  const auto ratio = ratio_of(first, second);
  const auto apply = [=](DecodedSample& sample) {
    const auto other = sample.plane(0);
    const auto &a = sample.image.shape, &b = other.shape;
    const auto refuse_pair = [](const auto&... why) {
      throw SampleError(FaultKind::unsupported, concat("pair_crop: ", why...));
    };
    if (sample.image.format != PixelFormat::rgb8)
      refuse_pair("it takes pixels = rgb8, not ", to_string(sample.image.format));
    if (other.data == nullptr) refuse_pair("the sample has no second image");
    if (sample.row.shape != first || sample.side.size() != image_bytes(second, PixelFormat::rgb8))
      refuse_pair("made for rows of ", sides(first), " and ",
                  image_bytes(second, PixelFormat::rgb8), " side bytes; the loader has rows of ",
                  sides(sample.row.shape), " and ", sample.side.size(), " side bytes");
    if (!ratio.holds(a, b))
      refuse_pair("the images are ", sides(a), " and ", sides(b), ", the windows ", sides(first),
                  " and ", sides(second));
    if (a.height < first.height || a.width < first.width)
      refuse_pair("the image is ", sides(a), ", the window ", sides(first));
    // Positions in the larger image that are whole pixels of the smaller one.
    const auto drawn = [&](std::uint32_t size, std::uint32_t window) {
      return static_cast<std::size_t>(sample.random.below((size - window) / ratio.first + 1));
    };
    const auto y = drawn(a.height, first.height), x = drawn(a.width, first.width);
    const bool mirrored = flip && sample.random.below(2) == 1;
    cut(sample.image, y * ratio.first, x * ratio.first, mirrored, first, sample.row.data);
    cut(other, y * ratio.second, x * ratio.second, mirrored, second,
        reinterpret_cast<std::uint8_t*>(sample.side.data()));
  };
  return {.apply = apply, .input = TransformInput::decoded, .scratch_bytes = 0};
}

}  // namespace weir
