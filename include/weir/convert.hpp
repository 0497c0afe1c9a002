#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <span>

#include "weir/image.hpp"

namespace weir {

/// IEEE 754 binary16, bits only.
struct float16 {
  std::uint16_t bits;
};
/// The upper half of a binary32, bits only.
struct bfloat16 {
  std::uint16_t bits;
};

template <class T>
concept Element = std::same_as<T, float> || std::same_as<T, float16> || std::same_as<T, bfloat16>;

/// `value` rounded once to T, to nearest, ties to even; overflow gives infinity, as IEEE 754 has it.
template <Element T>
T narrow(double value) noexcept;
template <>
float narrow<float>(double value) noexcept;
template <>
float16 narrow<float16>(double value) noexcept;
template <>
bfloat16 narrow<bfloat16>(double value) noexcept;

/// What the bits stand for; every value of either type is a float.
constexpr float widen(float value) noexcept { return value; }
constexpr float widen(bfloat16 value) noexcept {
  return std::bit_cast<float>(std::uint32_t{value.bits} << 16);
}
constexpr float widen(float16 value) noexcept {
  const std::uint32_t rest = value.bits & 0x7fffU;
  // In a float's places; infinity and NaN keep the largest exponent.
  const std::uint32_t bias = rest < 0x7c00U ? (127U - 15U) << 23 : (255U - 31U) << 23;
  const float magnitude = rest < 0x400U ? static_cast<float>(rest) * 0x1p-24F
                                        : std::bit_cast<float>((rest << 13) + bias);
  return (value.bits & 0x8000U) != 0 ? -magnitude : magnitude;
}

enum class Layout : std::uint8_t { nchw, nhwc };

/// value = (pixel * scale - mean) / stddev, per channel.
struct Normalize {
  std::array<double, 3> mean{0, 0, 0}, stddev{1, 1, 1};
  double scale = 1.0 / 255;
};
inline constexpr Normalize imagenet{{0.485, 0.456, 0.406}, {0.229, 0.224, 0.225}};

/// Pixels of `count` images, NHWC uint8: a batch, or a slice of one.
struct PixelBlock {
  std::span<const std::uint8_t> pixels;
  std::uint32_t count = 0;
  Shape shape;
};

namespace convert {
/// For weir's own layers: `pixel * slope + offset`, exact in float, and the small rest.
struct Line {
  float slope = 0, offset = 0, slope_rest = 0, offset_rest = 0;
};
using Lines = std::array<Line, 3>;
}  // namespace convert

/// Pixels to floats in the caller's memory. Immutable: share freely between threads.
/// Every output is within 1 ulp of the exactly computed value, and the same on every machine.
template <Element T>
class Converter {
 public:
  /// Throws Error{bad_options} where a stddev is 0 or a figure is not finite.
  explicit Converter(const Normalize& normalize = {}, Layout layout = Layout::nchw);
  /// out.size() must be count*C*H*W, else Error{bad_options}. Does not allocate.
  void operator()(const PixelBlock& block, std::span<T> out) const;
  /// One image, its lines as far apart as they may be: C x H x W or H x W x C. out.size() must be C*H*W,
  /// else Error{bad_options}. Does not allocate.
  void operator()(const ImageView& image, std::span<T> out) const;
  Layout layout() const noexcept { return layout_; }

 private:
  std::array<std::array<T, 256>, 3> table_;
  convert::Lines lines_;
  bool lines_are_exact_ = false;  ///< on this machine they give what the tables say, to the bit
  Layout layout_;
};
extern template class Converter<float>;
extern template class Converter<float16>;
extern template class Converter<bfloat16>;

}  // namespace weir
