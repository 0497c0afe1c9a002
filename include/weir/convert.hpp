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

/// The bits of an IEEE 754 binary16 number.
struct WEIR_API float16 {
  std::uint16_t bits;  ///< sign, 5 bits of exponent, 10 of fraction
};
/// The bits of a bfloat16 number: the upper half of a binary32.
struct WEIR_API bfloat16 {
  std::uint16_t bits;  ///< sign, 8 bits of exponent, 7 of fraction
};

/// The output types of a Converter.
template <class T>
concept Element = std::same_as<T, float> || std::same_as<T, float16> || std::same_as<T, bfloat16>;

/// Rounds `value` once to T, to nearest, ties to even. Overflow gives infinity (IEEE 754). Any
/// thread.
template <Element T>
WEIR_API T narrow(double value) noexcept;

/// Returns the value. Exists so that generic code works for every Element.
constexpr float widen(float value) noexcept { return value; }
/// Converts to float without loss.
constexpr float widen(bfloat16 value) noexcept {
  return std::bit_cast<float>(std::uint32_t{value.bits} << 16);
}
/// Converts to float without loss.
constexpr float widen(float16 value) noexcept {
  const std::uint32_t rest = value.bits & 0x7fffU;
  // Moves the bits to their float positions. Infinity and NaN keep the largest exponent.
  const std::uint32_t bias = rest < 0x7c00U ? (127U - 15U) << 23 : (255U - 31U) << 23;
  const float magnitude = rest < 0x400U ? static_cast<float>(rest) * 0x1p-24F
                                        : std::bit_cast<float>((rest << 13) + bias);
  return (value.bits & 0x8000U) != 0 ? -magnitude : magnitude;
}

/// The order of values in memory. The last index changes fastest.
enum class Layout : std::uint8_t {
  nchw,  ///< one plane per channel, as in PyTorch
  nhwc,  ///< interleaved channels, as in decoders and TensorFlow
};

/// value = (pixel · scale − mean) / stddev per channel, for pixels from 0 to 255. The default gives
/// [0, 1]. With mean and stddev of 0.5 the result is [−1, 1].
struct Normalize {
  std::array<double, 3> mean{0, 0, 0};    ///< red, green, blue; after scaling
  std::array<double, 3> stddev{1, 1, 1};  ///< red, green, blue; after scaling; not 0
  double scale = 1.0 / 255;               ///< first factor of each pixel
};
/// Mean and standard deviation of the ImageNet training set, as torchvision's models require them.
inline constexpr Normalize imagenet{{0.485, 0.456, 0.406}, {0.229, 0.224, 0.225}};

/// Non-owning view of the pixels of `count` images, NHWC: a batch or a part of it.
struct PixelBlock {
  std::span<const std::uint8_t> pixels;    ///< all images, without gaps
  std::uint32_t count = 0;                 ///< number of images
  ImageSize shape{};                       ///< size of each image
  PixelFormat format = PixelFormat::rgb8;  ///< what a pixel consists of

  /// Number of values of one image.
  constexpr std::uint64_t values() const noexcept { return image_values(shape, format); }
  /// Image i < count.
  constexpr ImageView image(std::uint32_t i) const noexcept {
    return {pixels.data() + i * image_bytes(shape, format), shape,
            std::size_t{shape.width} * pixel_bytes(format), format};
  }
};

/// Converts pixels to floats in the caller's memory. Immutable: threads may share it, and copies
/// share their tables. Each value is within 1 ulp of the exact result and is identical on every
/// machine.
template <Element T>
class WEIR_API Converter {
 public:
  /// Computes a table of 256 values per channel. Throws Error{bad_options} if a stddev is 0 or a
  /// number is not finite.
  explicit Converter(const Normalize& normalize = {}, Layout layout = Layout::nchw);
  Converter(const Converter&) = default;
  Converter& operator=(const Converter&) = default;
  /// Converts all images of the block. Throws Error{bad_options} unless out.size() is count·C·H·W.
  /// Does not allocate.
  void operator()(const PixelBlock& block, std::span<T> out) const;
  /// Converts one image with any row stride to C x H x W or H x W x C. Throws Error{bad_options}
  /// unless out.size() is C·H·W. Does not allocate.
  void operator()(const ImageView& image, std::span<T> out) const;
  /// The layout of the output.
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
