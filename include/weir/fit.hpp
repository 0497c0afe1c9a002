#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace weir {

/// How an image of any size is fitted to height x width.
enum class Fit : std::uint8_t {
  /// Crops the centred rectangle of round(H·s) x round(W·s), s = shorter side /
  /// Options::short_side.
  center,
  random,   ///< crops a random rectangle; see RandomOptions
  stretch,  ///< resizes the whole image without its aspect ratio; no change if the sizes are equal
  letterbox,  ///< resizes the whole image with its aspect ratio; see LetterboxOptions
  patch,      ///< cuts a random rectangle of height x width, never resampled; see PatchOptions
};

/// How often an image is mirrored. The two draws are independent.
struct FlipOptions {
  /// Probability of exchanging left and right, 0 to 1. Empty: 0.5 with Fit::random, else 0.
  std::optional<double> horizontal{};
  double vertical = 0;  ///< probability of exchanging top and bottom, 0 to 1
};

/// The crop of Fit::random. Both ranges are of a uniform draw, of the logarithm for `aspect`.
struct RandomOptions {
  std::array<double, 2> area{0.08, 1};  ///< least and most share of the image's area; 0.001 to 1
  std::array<double, 2> aspect{3.0 / 4, 4.0 / 3};  ///< least and most width / height; 0.001 to 1000

  /// Compares all members.
  friend bool operator==(const RandomOptions&, const RandomOptions&) = default;
};

/// The rectangle of Fit::patch. Its left and top edges are multiples of the denominators of all
/// PlaneOptions::scale, so that planes are never resampled either.
struct PatchOptions {
  /// Pixels of fill on each side of the image, in which the rectangle may begin and end. A multiple of
  /// those denominators, and less than either side of Options::shape.
  std::uint32_t padding = 0;
  /// Whether a smaller image is centred and surrounded by fill. Otherwise it is a fault of kind
  /// `unsupported`.
  bool pad_small = false;

  /// Compares all members.
  friend bool operator==(const PatchOptions&, const PatchOptions&) = default;
};

/// The place of the image with Fit::letterbox.
struct LetterboxOptions {
  /// Where the image lies in its row.
  enum class Align : std::uint8_t {
    center,    ///< with the same space on both sides
    top_left,  ///< with all space on the right or at the bottom
  };
  Align align = Align::center;  ///< where the image lies in its row
  bool enlarge = true;          ///< whether an image that is smaller than the row is enlarged

  /// Compares all members.
  friend bool operator==(const LetterboxOptions&, const LetterboxOptions&) = default;
};

}  // namespace weir
