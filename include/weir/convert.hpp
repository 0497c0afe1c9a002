#pragma once

#include <array>
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
