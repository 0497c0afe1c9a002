#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "weir/export.hpp"
#include "weir/image.hpp"

namespace weir {

/// The value of each channel, in the order of the format, where a row shows nothing of its file:
/// around a letterbox, in padding, in a blank row, in an absent or broken plane.
using Fill = std::array<std::uint16_t, 4>;

/// A ratio of two whole numbers.
struct Ratio {
  std::uint32_t numerator = 1;    ///< above 0
  std::uint32_t denominator = 1;  ///< above 0

  /// Compares the two numbers.
  friend bool operator==(const Ratio&, const Ratio&) = default;
};

/// The size of a plane's row beside a row of the image: each side times `scale`, rounded up.
constexpr ImageSize scaled_by(ImageSize size, Ratio scale) noexcept {
  const auto side = [&](std::uint32_t pixels) {
    const auto scaled =
        (std::uint64_t{pixels} * scale.numerator + scale.denominator - 1) / scale.denominator;
    return static_cast<std::uint32_t>(scaled < UINT32_MAX ? scaled : UINT32_MAX);
  };
  return {side(size.height), side(size.width)};
}

/// Which sizes a plane's file may have beside the image's file.
enum class PlaneMatch : std::uint8_t {
  ratio,    ///< the ratios of heights and of widths agree within 2 pixels of the plane, or 1 %
  stretch,  ///< any size
};

/// One plane: an image that belongs to each sample, beside its first image.
struct PlaneOptions {
  std::string name{};  ///< one of the source's planes, or with `made` any other name
  PixelFormat pixels = PixelFormat::stored8;  ///< what a pixel of the plane consists of
  Filter filter = Filter::automatic;          ///< how the plane is resized
  Fill fill{};                                ///< where the plane shows nothing of its file
  /// A point (x, y) of the image's row is the point (x * scale, y * scale) of the plane's row.
  Ratio scale{};
  PlaneMatch match = PlaneMatch::ratio;  ///< which sizes its files may have
  /// Whether a sample may be without it. Where it is absent or does not decode, its row is `fill`, and
  /// its status tells which. Otherwise that is a fault of the sample.
  bool optional = false;
  /// Whether it has no file. Its row begins as `fill`, and the transform draws it.
  bool made = false;
};

/// What the row of a plane shows.
enum class PlaneStatus : std::uint8_t {
  ok,       ///< the file of the plane; or `made`
  damaged,  ///< the decoder gave a warning, and FaultOptions::strict is false
  absent,   ///< fill: the sample has no such plane, or the row is blank or padding
  broken,   ///< fill: the file did not decode
};
/// The name of the enumerator, for example "absent". Any thread.
WEIR_API std::string_view to_string(PlaneStatus status) noexcept;

}  // namespace weir
