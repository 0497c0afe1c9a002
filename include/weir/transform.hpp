#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory_resource>
#include <span>

#include "weir/export.hpp"
#include "weir/image.hpp"
#include "weir/random.hpp"

namespace weir {

/// One sample in the hands of a transform, on the worker that decoded it. All of it is valid until the
/// transform returns; nothing of it is seen by another thread. An aggregate, so that a test of a
/// transform can make one.
struct DecodedSample {
  /// The whole image, upright (Options::exif), at its own size; with TransformInput::fitted, `row`.
  ImageView image;
  /// The whole second image of a pair (Encoded::second, weir::paired); data is null where there is none.
  ImageView second;
  /// The row of the batch, Options::shape without gaps. To be written: with TransformInput::decoded it
  /// is zero, with fitted it holds what the fit made. Where images keep their own sizes (Options::sizes;
  /// fitted alone) it is of the image's, its lines row_stride apart.
  MutableImageView row;
  /// Options::side_bytes: what the source gave, else zero.
  std::span<std::byte> side;
  std::int64_t label = 0;      ///< may be changed
  std::uint64_t index = 0;     ///< of the source
  std::uint64_t epoch = 0;     ///< from 0
  std::uint64_t position = 0;  ///< in the epoch
  std::uint32_t attempt = 0;   ///< above 0: it replaces samples that failed here (OnFault::skip)
  /// Of (seed, epoch, position, attempt): draw from it alone, and the batches are the same whatever the
  /// workers, queue and budget.
  Random random{0, 0, 0};
  /// TransformOptions::scratch_bytes on the books. Forgotten when the transform returns; to ask for more
  /// throws std::bad_alloc that becomes a fault of kind `memory`, naming both figures.
  std::pmr::memory_resource* scratch = std::pmr::null_memory_resource();
  const std::atomic<bool>* stop = nullptr;  ///< for cancelled()

  /// The stream is ending and the row not wanted any more: a transform that takes long returns, or
  /// throws, as soon as it sees this. The stream's end waits for it.
  bool cancelled() const noexcept { return stop && stop->load(std::memory_order_relaxed); }
};

/// What a transform is given.
enum class TransformInput : std::uint8_t {
  /// The whole image before any fit, for crops and warps of one's own. Its pixels are charged as
  /// scratch, so max_sample_bytes must hold them.
  decoded,
  /// What the fit made, in its row, to be changed in place: colours, noise, erasing. Takes no memory
  /// more, and what the crop left out is not decoded.
  fitted,
};

/// A step of the user's own, on the worker, between decoding and the batch. Its time counts in the stage
/// `fit`. What it throws is a fault of its sample at that stage: a SampleError of its own kind, a
/// std::bad_alloc of kind `memory`, anything else of kind `corrupt` with what() as the reason; under
/// OnFault::stop it leaves Stream::next() as it was thrown.
struct TransformOptions {
  /// Called from many threads at once. Empty: the fit alone.
  std::function<void(DecodedSample&)> apply{};
  TransformInput input = TransformInput::decoded;  ///< what it is given
  /// Most that one call takes from DecodedSample::scratch: charged before the sample is decoded, and
  /// added to the default of max_sample_bytes. It lies where the decoder worked, so it costs what it
  /// exceeds that.
  std::uint64_t scratch_bytes = 0;
};

/// A transform for pairs of images: one random window and one flip for both, cut out without resampling.
/// The first image goes to the row (Options::shape), the second to the side bytes (`second`; side_bytes =
/// second.values()). The sides of one shape are those of the other times a whole number, and so must be
/// those of the images: 1 for an image and its mask, 4 for the two sizes of super-resolution. A pair that
/// is not so, or smaller than the window, is a fault of kind `unsupported`. `flip`: mirrored half the time.
/// Throws Error{bad_options}.
WEIR_API TransformOptions pair_crop(Shape first, Shape second, bool flip = true);

}  // namespace weir
