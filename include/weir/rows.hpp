#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "weir/error.hpp"
#include "weir/export.hpp"
#include "weir/image.hpp"
#include "weir/random.hpp"

/// \file
/// What the rows of a batch show: annotations, planes, sizes, fits and windows.
namespace weir {

/// Elements that an annotation can consist of: boxes, points, numbers.
template <class T>
concept AnnotationElement = std::is_trivially_copyable_v<T> && alignof(T) <= 16;

/// Throws Error{bad_options} unless an annotation of `bytes` bytes is whole elements of `size` bytes,
/// and `room`, the bytes from one annotation to the next, is a multiple of `alignment`. Any thread.
WEIR_API void check_elements(std::size_t bytes, std::size_t room, std::size_t size,
                             std::size_t alignment);

/// Copies of the elements of an annotation. Throws as check_elements().
template <AnnotationElement T>
std::vector<T> elements_of(std::span<const std::byte> annotation) {
  check_elements(annotation.size(), 0, sizeof(T), alignof(T));
  std::vector<T> elements(annotation.size() / sizeof(T));
  if (!elements.empty()) std::memcpy(elements.data(), annotation.data(), annotation.size());
  return elements;
}

/// The annotation of a sample, for a transform: bytes of any length up to a bound. It refers to the
/// row.
class WEIR_API SampleAnnotation {
 public:
  /// Empty, and without room.
  SampleAnnotation() noexcept = default;
  /// The first `size` bytes of `room`, which must have as many.
  SampleAnnotation(std::span<std::byte> room, std::size_t size) noexcept
      : room_(room), size_(size) {}

  /// The bytes of the annotation. Empty if the sample has none.
  std::span<std::byte> bytes() const noexcept { return room_.first(size_); }
  /// Most bytes that it can have: Options::annotation_bytes.
  std::size_t room() const noexcept { return room_.size(); }
  /// Its elements. Throws as check_elements().
  template <AnnotationElement T>
  std::span<T> as() const {
    check_elements(size_, room_.size(), sizeof(T), alignof(T));
    return {reinterpret_cast<T*>(room_.data()), size_ / sizeof(T)};
  }
  /// Sets the number of bytes. New ones are 0. Throws SampleError{limit} if there is no room.
  void resize(std::size_t bytes);
  /// Replaces all elements. Throws as resize().
  template <AnnotationElement T>
  void assign(std::span<const T> elements) {
    resize(elements.size_bytes());
    if (!elements.empty()) std::memmove(room_.data(), elements.data(), elements.size_bytes());
  }

 private:
  std::span<std::byte> room_{};
  std::size_t size_ = 0;
};

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
  /// The ratios of heights and of widths agree within 2 pixels of the plane, or 1 %. With Fit::patch:
  /// the size of the image times PlaneOptions::scale, rounded up or down, so that nothing is resampled.
  ratio,
  stretch,  ///< any size
};

/// One plane: an image that belongs to each sample, beside its first image.
struct PlaneOptions {
  std::string name{};  ///< one of the source's planes, or with `made` any other name
  PixelFormat pixels = PixelFormat::stored8;  ///< what a pixel of the plane consists of
  Filter filter = Filter::automatic;          ///< how the plane is resized
  Fill fill{};                                ///< where the plane shows nothing of its file
  /// A point (x, y) of the image's row is the point (x * scale, y * scale) of the plane's row. Both
  /// numbers are 1 to 256.
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

/// Scales `size` down to fit in `bound`, if it does not fit already. The aspect ratio is kept, and
/// sides are rounded to at least 1. A side of 0 in `bound` limits nothing. An unknown `size`
/// (0 x 0) stays unknown.
WEIR_API ImageSize scaled_within(ImageSize size, ImageSize bound) noexcept;

/// How images of different sizes share a batch.
///   fixed   each image is fitted to Options::shape by Options::fit
///   padded  each image keeps its size, in the top left corner of a block of Options::fill; the
///           block has the largest height and the largest width of the batch
///   ragged  each image keeps its size; images are consecutive, without padding
enum class Sizes : std::uint8_t { fixed, padded, ragged };

/// The sizes of all images in a source, upright. With Decode::none: the sizes of the encoded samples,
/// as 1 x bytes. Immutable: loaders and threads can share it.
class SizeIndex {
 public:
  /// `sizes` by index in the source. 0 x 0 means unknown: each draw of that sample gives a fault.
  explicit SizeIndex(std::vector<ImageSize> sizes) noexcept : sizes_(std::move(sizes)) {}
  /// Number of samples.
  std::uint64_t size() const noexcept { return sizes_.size(); }
  /// Size of sample i < size().
  ImageSize operator[](std::uint64_t i) const noexcept {
    return sizes_[static_cast<std::size_t>(i)];
  }
  /// Memory of this index: 8 bytes per sample.
  std::uint64_t bytes() const noexcept { return sizes_.size() * sizeof(ImageSize); }

 private:
  std::vector<ImageSize> sizes_;
};

/// What SizeFunction::of knows of a batch or a row.
struct SizeInput {
  std::uint64_t epoch = 0;  ///< epoch, from 0
  /// Number of the batch in its epoch, from 0: the same on all ranks and after a resume with the same
  /// global batch. With another one: the number that the batch's first position has in a whole epoch.
  /// With Requests: the number of the request.
  std::uint64_t step = 0;
  std::uint64_t index = UINT64_MAX;  ///< padded, ragged: index in the source
  ImageSize image{};                 ///< padded, ragged: size of the upright image
};

/// Sizes that change while training runs.
struct SizeFunction {
  /// Identifies `of` in Loader::identity(), which ranks compare. 1 to 64 printable ASCII characters.
  std::string name{};
  /// The size of the rows. With Sizes::fixed it decides for a whole batch, in place of Options::shape,
  /// which bounds it. With padded and ragged it decides for a row, and max_height and max_width, both
  /// needed, bound it; the whole image is resized to the row, also if their aspect ratios differ.
  ///
  /// It must be quick and pure, and threads call it at once. Slabs are planned for the bound. A Loader
  /// tries the steps of the first epoch, a stream the first step of each of its epochs, at most a
  /// thousand. Where the function throws or changes an answer, or the size is 0 or beyond the bound,
  /// they throw Error{bad_options}; where that comes later, the stream ends with it before the batch.
  /// For a sample that replaces another it is a fault. Empty: sizes do not change.
  std::function<ImageSize(const SizeInput&)> of{};
};

/// How images share a batch. With padded and ragged, Options::shape has no effect, and Options::fit and
/// short_side are refused.
struct SizeOptions {
  Sizes mode = Sizes::fixed;  ///< fixed, padded or ragged
  /// padded, ragged: maximum height, >= 1; larger images are scaled down; nullopt: no limit.
  std::optional<std::uint32_t> max_height{};
  std::optional<std::uint32_t> max_width{};  ///< the same for the width
  /// padded: sorts samples by size within windows of this many batches, which reduces padding. 0:
  /// no sorting. Each sample still occurs once per epoch, and the order depends on seed, epoch and
  /// sizes alone. Memory: 24 bytes per sample of a window, in the account `index`.
  std::uint32_t bucket_batches = 0;
  /// padded: the height and width of a batch are rounded up to multiples of this, as networks with
  /// strides need; 1 to 4096.
  std::uint32_t multiple_of = 1;
  SizeFunction size{};  ///< sizes that change while training runs
  /// Known sizes, for example from measure_sizes(). Those of encoded samples for OnFault::skip must be
  /// measured with OnFault::skip. Null: the Loader measures them.
  std::shared_ptr<const SizeIndex> index = nullptr;

  /// Both limits for scaled_within().
  ImageSize bound() const noexcept { return {max_height.value_or(0), max_width.value_or(0)}; }
  /// Whether batches have different sizes.
  bool vary() const noexcept { return mode != Sizes::fixed || size.of; }
};

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
  /// Identifies `choose`: ranks and shared caches compare it. 1 to 64 printable ASCII characters.
  std::string name{};
  /// Whether each epoch has the same window of a sample. The epoch and position are then 0, and the
  /// random numbers depend on (seed, index). Cache::decoded needs it.
  bool same_each_epoch = false;
};

}  // namespace weir
