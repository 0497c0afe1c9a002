#include <algorithm>
#include <cstring>

#include "codec/format.hpp"

namespace weir::codec {
namespace {

/// The format of the lines. Values up to 255 stay as they are.
PixelFormat pnm_native(const ImageInfo& info, PixelFormat pixels) noexcept {
  const auto layout = info.layout.get<PnmLayout>();
  if (is_stored(pixels))
    return layout.value_bytes() == 2 ? PixelFormat::stored16 : PixelFormat::stored8;
  if (layout.most == 255) return info.channels == 1 ? PixelFormat::grey8 : PixelFormat::rgb8;
  return info.channels == 1 ? PixelFormat::grey16 : PixelFormat::rgb16;
}

const char* pnm_refuses(const ImageInfo& info, PixelFormat pixels) noexcept {
  const auto layout = info.layout.get<PnmLayout>();
  if (is_stored(pixels)) {
    if (info.channels != 1) return "PPM has colours, and stored formats have one value; use rgb8";
    if (layout.value_bytes() > value_bytes(pixels))
      return "PGM with values of 16 bits; use stored16";
  } else if (layout.most != 255 && value_bytes(pixels) == 1) {
    return info.channels == 1 ? "PGM whose largest value is not 255; use grey16 or stored16"
                              : "PPM whose largest value is not 255; use rgb16";
  }
  return nullptr;
}

CanvasNeed pnm_need(const ImageInfo& info, const PixelRect& source, std::uint32_t,
                    PixelFormat pixels) noexcept {
  const auto native = pnm_native(info, pixels);
  return {.area = {0, source.y, info.width, source.height},
          .streams = true,
          .native = native,
          .spare_bytes = std::uint64_t{source.width} * pixel_bytes(native) + overrun};
}

/// Writes 16-bit values: `scaled` to the full range, or as they are.
void make_wide(const std::uint8_t* values, const PnmLayout& layout, bool scaled, std::size_t count,
               std::uint8_t* out) {
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t value = layout.value_bytes() == 1
                              ? values[i]
                              : std::uint32_t{values[2 * i]} << 8 | values[2 * i + 1];
    if (scaled) value = (std::min(value, layout.most) * 65535 + layout.most / 2) / layout.most;
    const auto narrow = static_cast<std::uint16_t>(value);
    std::memcpy(out + 2 * i, &narrow, sizeof narrow);
  }
}

Result<RowStatus> decode_pnm(const DecodeJob& job) {
  const ImageInfo& info = job.info;
  const auto* const file = reinterpret_cast<const std::uint8_t*>(job.encoded.data());
  const auto layout = info.layout.get<PnmLayout>();
  const auto start = static_cast<std::size_t>(layout.start);
  const std::size_t pixel = std::size_t{info.channels} * layout.value_bytes();
  const std::size_t line_bytes = info.width * pixel, wanted = job.source.width * pixel;
  const std::size_t lines = (job.encoded.size() - start) / line_bytes;
  const std::size_t end = std::min<std::size_t>(job.source.y + job.source.height, lines);
  for (std::size_t y = job.source.y; y < end; ++y) {
    if (job.cancelled.load(std::memory_order_relaxed)) return cancelled_decode();
    const std::size_t at = start + y * line_bytes + job.source.x * pixel;
    if (value_bytes(job.native) == 2) {
      make_wide(file + at, layout, !is_stored(job.native),
                std::size_t{job.source.width} * info.channels, job.spare);
      job.sink.put(job.spare);
    } else if (at + wanted + overrun <= job.encoded.size()) {
      job.sink.put(file + at);  // the bytes after the line can be read
    } else {
      std::memcpy(job.spare, file + at, wanted);
      job.sink.put(job.spare);
    }
  }
  return info.damaged ? RowStatus::damaged : RowStatus::ok;
}

}  // namespace

constinit const Format pgm_format{"pgm", "P5", read_pnm_header, pnm_need, decode_pnm, pnm_refuses};
constinit const Format ppm_format{"ppm", "P6", read_pnm_header, pnm_need, decode_pnm, pnm_refuses};

}  // namespace weir::codec
