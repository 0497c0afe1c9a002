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

/// Rounds `value` once to T, to nearest, ties to even. Overflow gives infinity (IEEE 754), NaN a
/// quiet NaN. Any thread.
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

/// value = (pixel · scale − mean) / stddev for each colour, for pixels from 0 to 255. The default
/// gives [0, 1]. With mean and stddev of 0.5 the result is [−1, 1]. It is by colour, whatever the
/// order of the channels. A value v of 16 bits counts as v / 257. Alpha has mean 0 and stddev 1.
/// Grey needs the same mean and stddev for all three colours.
struct Normalize {
  std::array<double, 3> mean{0, 0, 0};    ///< red, green, blue; after scaling
  std::array<double, 3> stddev{1, 1, 1};  ///< red, green, blue; after scaling; not 0
  double scale = 1.0 / 255;               ///< first factor of each pixel
};
/// Mean and standard deviation of the ImageNet training set, as torchvision's models require them.
inline constexpr Normalize imagenet{{0.485, 0.456, 0.406}, {0.229, 0.224, 0.225}};

/// value = pixel · slope + offset, for the stored value of a pixel.
struct ChannelLine {
  double slope = 0;   ///< factor of the value
  double offset = 0;  ///< added to the product
};
/// What Normalize means for each channel of a format, in the format's order, for arithmetic of your
/// own, for example on a device. Throws Error{bad_options} for stored formats, for grey with
/// figures that differ by colour, and as the constructor of a Converter. Any thread.
WEIR_API std::array<ChannelLine, 4> channel_lines(const Normalize& normalize, PixelFormat format);

/// Converts pixels to floats in the caller's memory, in the format's order of channels. Immutable:
/// threads may share it, and copies share their tables. Each value is within 1 ulp of the exact
/// result and is identical on every machine. Values of 8 bits are converted at the speed of memory,
/// those of rgba8 by look-up, and those of 16 bits are computed one by one.
template <Element T>
class WEIR_API Converter {
 public:
  /// Computes a table of 256 values for each colour and for alpha: 4 KiB for float, else 2 KiB.
  /// Throws Error{bad_options} if a stddev is 0 or a number is not finite.
  explicit Converter(const Normalize& normalize = {}, Layout layout = Layout::nchw);
  Converter(const Converter&) = default;
  Converter& operator=(const Converter&) = default;
  /// Converts all images of the block. Throws Error{bad_options} unless out.size() is count·C·H·W,
  /// for a stored format (see widen()), and for grey if Normalize differs by colour. Does not
  /// allocate.
  void operator()(const PixelBlock& block, std::span<T> out) const;
  /// Converts one image with any row stride to C x H x W or H x W x C. Throws Error{bad_options}
  /// unless out.size() is C·H·W, and as above. Does not allocate.
  void operator()(const ImageView& image, std::span<T> out) const;
  /// Converts all rows of a Batch or of a BatchPlane to the begin of `out`, which may be larger, as
  /// for the last batch of an epoch. Returns what it wrote. Throws Error{bad_options} if `out` is too
  /// small, and as pixels() and the first form. Does not allocate.
  template <class Rows>
    requires requires(const Rows& rows) {
      { rows.pixels() } -> std::same_as<PixelBlock>;
    }
  std::span<T> operator()(const Rows& rows, std::span<T> out) const {
    return convert_to_begin(rows.pixels(), out);
  }
  /// The layout of the output.
  Layout layout() const noexcept { return layout_; }

 private:
  std::span<T> convert_to_begin(const PixelBlock& block, std::span<T> out) const;

  struct State;
  std::shared_ptr<const State> state_;
  Layout layout_;
};
extern template class Converter<float>;
extern template class Converter<float16>;
extern template class Converter<bfloat16>;

/// The values of a block as integers, unchanged and in the order N x H x W x C, of any format: the
/// classes of a mask, the millimetres of a depth image. With a table, value i becomes table[i].
/// Throws Error{bad_options} unless out.size() is the number of values, and for a value beyond the
/// table, which it names. Does not allocate. Any thread.
WEIR_API void widen(const PixelBlock& block, std::span<std::int32_t> out,
                    std::span<const std::int32_t> table = {});
/// As above, for example for the targets of a cross-entropy.
WEIR_API void widen(const PixelBlock& block, std::span<std::int64_t> out,
                    std::span<const std::int64_t> table = {});
/// As above, for one image with any row stride.
WEIR_API void widen(const ImageView& image, std::span<std::int32_t> out,
                    std::span<const std::int32_t> table = {});
/// As above, for one image with any row stride.
WEIR_API void widen(const ImageView& image, std::span<std::int64_t> out,
                    std::span<const std::int64_t> table = {});

}  // namespace weir
