#include <exception>
#include <new>

#include "base/sanitize.hpp"
#include "codec/format.hpp"

namespace weir::codec {
namespace {

struct ForeignLayout {
  const ForeignCodec* codec;
  std::uint64_t scratch_bytes;  ///< allocated by the codec itself
};

/// Call it only in a catch block.
Defect thrown_by_codec() {
  try {
    throw;
  } catch (const SampleError& error) {
    return {error.kind(), Stage::decode, sanitize_message(error.what())};
  } catch (const std::bad_alloc&) {
    return {FaultKind::memory, Stage::decode, "the codec found no memory"};
  } catch (const std::exception& error) {
    return {FaultKind::corrupt, Stage::decode, sanitize_message(error.what())};
  } catch (...) {
    return {FaultKind::corrupt, Stage::decode,
            "the codec threw something that is no std::exception"};
  }
}

CanvasNeed foreign_need(const ImageInfo& info, const PixelRect&, std::uint32_t,
                        PixelFormat pixels) noexcept {
  return {
      .area = {0, 0, info.width, info.height},
      .native = info.layout.get<ForeignLayout>().codec->writes(pixels) ? pixels : PixelFormat::rgb8,
      .gapless = true,
      .reserved_bytes = info.layout.get<ForeignLayout>().scratch_bytes};
}

Result<RowStatus> decode_foreign(const DecodeJob& job) {
  if (job.cancelled.load(std::memory_order_relaxed)) return cancelled_decode();
  const auto [codec, scratch_bytes] = job.info.layout.get<ForeignLayout>();
  const std::size_t bytes = job.canvas.stride * job.info.height;
  try {
    codec->decode(job.native, job.encoded, {job.info.width, job.info.height, scratch_bytes},
                  {job.canvas.pixels, bytes});
    return RowStatus::ok;
  } catch (...) {
    return thrown_by_codec();
  }
}

}  // namespace

constinit const Format foreign_format{"other", {}, nullptr, foreign_need, decode_foreign, nullptr};

Result<ImageInfo> read_foreign_header(Bytes encoded, const ForeignCodec& codec) {
  try {
    const auto found = codec.info(encoded.span());
    if (found.width == 0 || found.height == 0) return corrupt_at(0, "width or height of 0");
    ImageInfo info{.format = &foreign_format,
                   .width = found.width,
                   .height = found.height,
                   .channels = 0,
                   .bit_depth = 0};
    info.layout.set(ForeignLayout{&codec, found.scratch_bytes});
    return info;
  } catch (...) {
    return thrown_by_codec();
  }
}

}  // namespace weir::codec
