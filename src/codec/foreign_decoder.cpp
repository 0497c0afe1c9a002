#include <exception>
#include <new>

#include "base/sanitize.hpp"
#include "codec/canvas.hpp"
#include "codec/headers.hpp"

namespace weir::codec {

Defect thrown_by_codec() {
  try {
    throw;
  } catch (const SampleError& error) {
    return {error.kind(), Stage::decode, sanitize(error.what())};
  } catch (const std::bad_alloc&) {
    return {FaultKind::memory, Stage::decode, "the codec found no memory"};
  } catch (const std::exception& error) {
    return {FaultKind::corrupt, Stage::decode, sanitize(error.what())};
  } catch (...) {
    return {FaultKind::corrupt, Stage::decode,
            "the codec threw something that is no std::exception"};
  }
}

CanvasNeed foreign_canvas(const ImageInfo& info) noexcept {
  return {.area = {0, 0, info.width, info.height}, .reserved_bytes = info.foreign_scratch};
}

Result<RowStatus> decode_foreign(const DecodeJob& job) {
  if (job.cancelled.load(std::memory_order_relaxed)) return cancelled_decode();
  const ForeignCodec::Info info{job.info.width, job.info.height, job.info.foreign_scratch};
  const std::size_t bytes = job.canvas.stride * job.info.height;
  try {
    job.info.foreign->decode(job.encoded, info, {job.canvas.pixels, bytes});
    return RowStatus::ok;
  } catch (...) {
    return thrown_by_codec();
  }
}

}  // namespace weir::codec
