#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weir/annotation.hpp"
#include "weir/random.hpp"
#include "weir/window.hpp"

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

/// What WindowOptions::choose knows of a row.
struct WindowInput {
  ImageSize image{};                        ///< size of the upright image
  ImageSize row{};                          ///< size of the row
  std::int64_t label = 0;                   ///< of the source
  std::span<const std::byte> annotation{};  ///< of the source
  std::uint64_t index = 0;                  ///< index in the source
  std::uint64_t epoch = 0;                  ///< epoch, from 0
  std::uint64_t position = 0;               ///< position in the epoch
  /// The sample of the row: 0 is the row's own, and k the k-th of Options::partners.
  std::uint32_t partner = 0;
  /// Generator for (seed, epoch, position) alone. All samples of a row have the same, also after one was
  /// redrawn: for what their windows share, such as the centre of a mosaic. Copy it to use it.
  Random row_random{0, 0, 0};

  /// Copies of the annotation's elements. Throws Error{bad_options} unless it is whole elements.
  template <AnnotationElement T>
  std::vector<T> annotations() const {
    return elements_of<T>(annotation);
  }
};

/// A window of the user's own for each row, in place of Options::fit. It is chosen before the image is
/// decoded, so what lies beside it costs as little as beside that of a fit.
struct WindowOptions {
  /// Which rectangle of the upright image becomes the row. `source` may reach beyond the image: the row
  /// is fill there. An empty `target` is the whole row. `image` and `orientation` are ignored. The random
  /// numbers depend on (seed, epoch, position, partner, attempt), and are not those of the transform.
  ///
  /// Called by many threads at once, perhaps more than once for a row; it must be pure. An exception
  /// is a fault of the sample at stage `decode`, of the kind that a SampleError has, else `corrupt`. So
  /// is a window that is empty, not finite, shows nothing of the image, or whose target is not in the
  /// row (`unsupported`). Empty: Options::fit decides.
  std::function<Window(const WindowInput&, Random&)> choose{};
  /// Identifies `choose`: resume and shared caches compare it. 1 to 64 characters.
  std::string name{};
  /// Whether each epoch has the same window of a sample. The epoch and position are then 0, and the
  /// random numbers depend on (seed, index). Cache::decoded needs it.
  bool same_each_epoch = false;
};

}  // namespace weir
