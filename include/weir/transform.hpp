#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/error.hpp"
#include "weir/export.hpp"
#include "weir/image.hpp"
#include "weir/random.hpp"
#include "weir/rows.hpp"

namespace weir {

/// A plane of a sample, for a transform.
struct SamplePlane {
  std::string_view name;  ///< PlaneOptions::name
  /// The whole upright plane at its own size (Options::exif) if the transform takes it whole;
  /// otherwise `row`. data is null if the plane is absent, broken or made.
  ImageView image{};
  /// The plane's row. Initially it is fill if the transform takes the plane whole, and where the plane
  /// is absent, broken or made; otherwise the fitted plane.
  MutableImageView row{};
  PlaneStatus status = PlaneStatus::ok;  ///< what the row shows
  PixelOffset at{};                      ///< of a partner: where `image` is in the plane's row
};

/// A partner of a row (Options::partners), for a transform. Read-only.
struct PartnerSample {
  /// The whole upright image if the transform takes whole images. Otherwise the pixels that `window`
  /// fills in the row: those whose centres are in Window::target and show the image. If images keep
  /// their own sizes, the whole image, resized to the size of the row.
  ImageView image{};
  PixelOffset at{};  ///< where the upper left pixel of a fitted `image` is in the row
  /// The planes, in the order of Options::planes, each likewise. `row` has no data.
  std::span<const SamplePlane> planes{};
  std::span<const std::byte> annotation{};  ///< what the source gave
  Window window{};                          ///< what a fitted `image` shows
  std::int64_t label = 0;                   ///< of the source
  std::uint64_t index = 0;                  ///< index in the source
  std::uint32_t attempt = 0;                ///< above 0: it replaces a failed one (OnFault::skip)

  /// Copies of the annotation's elements. Throws Error{bad_options} unless it is whole elements.
  template <AnnotationElement T>
  std::vector<T> annotations() const {
    return elements_of<T>(annotation);
  }
};

/// The argument of a transform, on the worker that decoded the sample. It is valid until the
/// transform returns, and no other thread uses it. It is an aggregate, so tests of transforms can
/// create one.
struct DecodedSample {
  /// The whole upright image (Options::exif) at its own size, or `row` if the transform does not
  /// take it whole.
  ImageView image;
  /// The planes, in the order of Options::planes.
  std::span<const SamplePlane> planes;
  /// The further samples of the row, in the order of their numbers: Options::partners.
  std::span<const PartnerSample> partners{};
  /// The output row. Its shape is Options::shape, or what SizeOptions::size gives, without gaps.
  /// Initially it is fill if the transform takes the whole image, and otherwise the fitted image. If
  /// images keep their own sizes (Options::sizes; with fitted, or with SizeOptions::size), it has the
  /// size of the image or that which the function gives, and row_stride may be larger.
  MutableImageView row;
  /// What the source gave of Options::annotation_bytes. The transform may rewrite and resize it.
  SampleAnnotation annotation;
  /// What the row shows of the image. A transform that takes the whole image sets it to what it
  /// wrote, if the trainer reads Batch::window().
  Window window{};
  std::int64_t label = 0;      ///< the transform may change it
  std::uint64_t index = 0;     ///< index in the source
  std::uint64_t epoch = 0;     ///< epoch, from 0
  std::uint64_t position = 0;  ///< position in the epoch
  std::uint32_t attempt = 0;   ///< above 0: this sample replaces a failed one (OnFault::skip)
  /// Generator for (seed, epoch, position, attempt). If a transform uses no other randomness, the
  /// batches do not depend on workers, queue and budget.
  Random random{0, 0, 0};
  /// Charged working memory of TransformOptions::scratch_bytes. It is released when the transform
  /// returns. A larger allocation throws std::bad_alloc, which becomes a fault of kind `memory`
  /// with both sizes.
  std::pmr::memory_resource* scratch = std::pmr::null_memory_resource();
  const std::atomic<bool>* stop = nullptr;  ///< used by cancelled()

  /// The plane with this name. Throws Error{bad_options} if Options::planes has none.
  const SamplePlane& plane(std::string_view name) const {
    for (const auto& found : planes)
      if (found.name == name) return found;
    throw Error(
        Errc::bad_options, Stage::fit,
        "DecodedSample::plane(" + std::string(name) + "): Options::planes has no such plane");
  }

  /// Whether the stream is ending and does not need the row. The end of the stream waits for the
  /// transform, so a slow transform must check this and then return or throw.
  bool cancelled() const noexcept { return stop && stop->load(std::memory_order_relaxed); }
};

/// The input of a transform.
enum class TransformInput : std::uint8_t {
  /// The whole image before any fit, for the transform's own crops and warps. Its pixels are
  /// charged as scratch, so max_sample_bytes must include them.
  decoded,
  /// The fitted image in its row, for changes in place: colours, noise, erasing. It needs no
  /// additional memory, and the parts outside the crop are not decoded.
  fitted,
};

/// The user's own step between decoding and the batch. It runs on the worker, and its time counts
/// in the stage `fit`. An exception is a fault of the sample at that stage. The kind is that of a
/// SampleError, `memory` for std::bad_alloc, and otherwise `corrupt` with what() as the reason.
/// With OnFault::stop, Stream::next() throws the original exception, but Error{sample_failed} with
/// the text of a SampleError and where more scratch was requested than declared.
struct TransformOptions {
  /// Called from many threads at once. Empty: no transform.
  std::function<void(DecodedSample&)> apply{};
  TransformInput input = TransformInput::decoded;  ///< whole or fitted images
  /// With TransformInput::decoded: the planes that the transform takes whole, and "image" for the
  /// first image. The others arrive fitted. Empty: all.
  std::vector<std::string> whole{};
  /// Maximum of memory that one call allocates from DecodedSample::scratch. It is charged before
  /// the sample is decoded and added to the default of max_sample_bytes. It reuses the memory of
  /// the decoder, so only the part that exceeds it costs memory.
  std::uint64_t scratch_bytes = 0;

  /// Whether there is a transform, and it takes this plane whole. "image": the first image.
  bool takes_whole(std::string_view name) const noexcept {
    return apply && input == TransformInput::decoded &&
           (whole.empty() || std::ranges::find(whole, name) != whole.end());
  }
};

}  // namespace weir
