#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <memory>
#include <span>

#include "weir/export.hpp"
#include "weir/image.hpp"

namespace weir {

/// IEEE 754 binary16, bits only.
struct WEIR_API float16 {
  std::uint16_t bits;  ///< sign, 5 bits of exponent, 10 of fraction
};
/// The upper half of a binary32, bits only.
struct WEIR_API bfloat16 {
  std::uint16_t bits;  ///< sign, 8 bits of exponent, 7 of fraction
};

/// What pixels can become.
template <class T>
concept Element = std::same_as<T, float> || std::same_as<T, float16> || std::same_as<T, bfloat16>;

/// `value` rounded once to T, to nearest, ties to even; overflow gives infinity, as IEEE 754 has it.
/// Any thread.
template <Element T>
WEIR_API T narrow(double value) noexcept;

/// Itself, so that code may be written for any Element.
constexpr float widen(float value) noexcept { return value; }
/// What the bits stand for; every bfloat16 is a float.
constexpr float widen(bfloat16 value) noexcept {
  return std::bit_cast<float>(std::uint32_t{value.bits} << 16);
}
/// What the bits stand for; every float16 is a float.
constexpr float widen(float16 value) noexcept {
  const std::uint32_t rest = value.bits & 0x7fffU;
  // In a float's places; infinity and NaN keep the largest exponent.
  const std::uint32_t bias = rest < 0x7c00U ? (127U - 15U) << 23 : (255U - 31U) << 23;
  const float magnitude = rest < 0x400U ? static_cast<float>(rest) * 0x1p-24F
                                        : std::bit_cast<float>((rest << 13) + bias);
  return (value.bits & 0x8000U) != 0 ? -magnitude : magnitude;
}

/// The order of values in memory, the last index fastest.
enum class Layout : std::uint8_t {
  nchw,  ///< a plane for each channel, as PyTorch has it
  nhwc,  ///< channels side by side, as decoders give them and TensorFlow has it
};

/// value = (pixel · scale − mean) / stddev, per channel; pixels are 0 to 255. The default gives [0, 1];
/// mean and stddev of 0.5 give [−1, 1].
struct Normalize {
  std::array<double, 3> mean{0, 0, 0};    ///< of red, green, blue, after scale
  std::array<double, 3> stddev{1, 1, 1};  ///< likewise; not 0
  double scale = 1.0 / 255;               ///< what a pixel is multiplied with first
};
/// Mean and standard deviation of ImageNet's training set, as torchvision's models want them.
inline constexpr Normalize imagenet{{0.485, 0.456, 0.406}, {0.229, 0.224, 0.225}};

/// Pixels of `count` images, NHWC uint8: a batch, or a slice of one.
struct PixelBlock {
  std::span<const std::uint8_t> pixels;  ///< count · shape.values() of them, without gaps
  std::uint32_t count = 0;               ///< images
  Shape shape;                           ///< of each
};

/// Pixels to floats in the caller's memory. Immutable: share freely between threads; copies share their
/// tables.
/// Every output is within 1 ulp of the exactly computed value, and the same on every machine.
template <Element T>
class WEIR_API Converter {
 public:
  /// Works out a table of 256 values a channel. Throws Error{bad_options} where a stddev is 0 or a figure is not finite.
  explicit Converter(const Normalize& normalize = {}, Layout layout = Layout::nchw);
  Converter(const Converter&) = default;
  Converter& operator=(const Converter&) = default;
  /// out.size() must be count·C·H·W, else Error{bad_options}. Does not allocate.
  void operator()(const PixelBlock& block, std::span<T> out) const;
  /// One image, its lines as far apart as they may be: C x H x W or H x W x C. out.size() must be C*H*W,
  /// else Error{bad_options}. Does not allocate.
  void operator()(const ImageView& image, std::span<T> out) const;
  /// As it was constructed.
  Layout layout() const noexcept { return layout_; }

 private:
  struct State;
  std::shared_ptr<const State> state_;
  Layout layout_;
};
extern template class Converter<float>;
extern template class Converter<float16>;
extern template class Converter<bfloat16>;

}  // namespace weir
