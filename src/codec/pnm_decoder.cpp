#include <algorithm>
#include <cstring>

#include "codec/format.hpp"

namespace weir::codec {
namespace {

CanvasNeed pnm_need(const ImageInfo& info, const Rect& source, std::uint32_t) noexcept {
  return {.area = {0, source.y, info.width, source.height},
          .streams = true,
          .spare_bytes = std::uint64_t{source.width} * rgb_bytes + overrun};
}

void make_grey(const std::uint8_t* values, std::uint32_t count, std::uint8_t* pixels) {
  for (std::uint32_t i = 0; i < count; ++i) std::fill_n(pixels + i * rgb_bytes, 3, values[i]);
}

Result<RowStatus> decode_pnm(const DecodeJob& job) {
  const auto& [format, width, height, channels, depth, orientation, progressive, layout, damaged] =
      job.info;
  const auto* const file = reinterpret_cast<const std::uint8_t*>(job.encoded.data());
  const auto start = static_cast<std::size_t>(layout.get<PnmLayout>().start);
  const std::size_t line_bytes = std::size_t{width} * channels;
  const std::size_t lines = (job.encoded.size() - start) / line_bytes;
  const std::size_t wanted = std::size_t{job.source.width} * channels;
  const std::size_t end = std::min<std::size_t>(job.source.y + job.source.height, lines);
  for (std::size_t y = job.source.y; y < end; ++y) {
    if (job.cancelled.load(std::memory_order_relaxed)) return cancelled_decode();
    const std::size_t at = start + y * line_bytes + std::size_t{job.source.x} * channels;
    if (channels == 1) {
      make_grey(file + at, job.source.width, job.spare);
      job.sink.put(job.spare);
    } else if (at + wanted + overrun <= job.encoded.size()) {
      job.sink.put(file + at);  // the bytes after the line can be read
    } else {
      std::memcpy(job.spare, file + at, wanted);
      job.sink.put(job.spare);
    }
  }
  return damaged ? RowStatus::damaged : RowStatus::ok;
}

}  // namespace

constinit const Format pgm_format{"pgm", "P5", read_pnm_header, pnm_need, decode_pnm};
constinit const Format ppm_format{"ppm", "P6", read_pnm_header, pnm_need, decode_pnm};

}  // namespace weir::codec
