#include <algorithm>
#include <memory>

#include <webp/decode.h>

#include "buffer/page_memory.hpp"
#include "codec/canvas.hpp"
#include "codec/headers.hpp"

namespace weir::codec {
namespace {

struct DeleteDecoder {
  void operator()(WebPIDecoder* decoder) const noexcept { WebPIDelete(decoder); }
};

Defect defect_of(VP8StatusCode status) {
  switch (status) {
    case VP8_STATUS_OUT_OF_MEMORY:
      return {FaultKind::memory, Stage::decode, "libwebp found no memory"};
    case VP8_STATUS_UNSUPPORTED_FEATURE:
      return unsupported("WebP feature that libwebp does not read");
    case VP8_STATUS_NOT_ENOUGH_DATA:
    case VP8_STATUS_SUSPENDED:
      return {FaultKind::truncated, Stage::decode, "WebP frame ends early"};
    default: return {FaultKind::corrupt, Stage::decode, "WebP bitstream error"};
  }
}

std::uint64_t reserved_bytes(const ImageInfo& info) noexcept {
  // No hooks: 4 bytes a pixel for a lossless frame or the alpha of a lossy one, and its tables.
  return std::uint64_t{info.width} * info.height * 4 + (1 << 20);
}

/// Throws std::bad_alloc where libwebp would not find what is reserved for it. Some versions of it do
/// not survive that: 1.2.4 with Debian's patch for CVE-2023-4863 frees a pointer that it never set.
void try_reservation(const ImageInfo& info) {
  const auto bytes = static_cast<std::size_t>(reserved_bytes(info));
  auto& pages = buffer::page_memory();
  pages.deallocate(pages.allocate(bytes), bytes);
}

bool configure(const DecodeJob& job, WebPDecoderConfig& config) {
  if (WebPInitDecoderConfig(&config) == 0) return false;
  const Canvas& canvas = job.canvas;
  config.options.use_cropping = 1;
  config.options.crop_left = static_cast<int>(canvas.area.x);
  config.options.crop_top = static_cast<int>(canvas.area.y);
  config.options.crop_width = static_cast<int>(canvas.area.width);
  config.options.crop_height = static_cast<int>(canvas.area.height);
  config.output.colorspace = MODE_RGB;
  config.output.is_external_memory = 1;
  config.output.u.RGBA = {
      canvas.pixels, static_cast<int>(canvas.stride),
      canvas.stride * (canvas.area.height - 1) + canvas.area.width * pixel_bytes};
  return true;
}

/// The rows in front of the damage, which libwebp's one-call interface does not promise.
bool salvage(std::span<const std::uint8_t> data, WebPDecoderConfig& config) {
  const std::unique_ptr<WebPIDecoder, DeleteDecoder> decoder(WebPIDecode(nullptr, 0, &config));
  if (!decoder) return false;
  WebPIUpdate(decoder.get(), data.data(), data.size());
  int rows = 0;
  return WebPIDecGetRGB(decoder.get(), &rows, nullptr, nullptr, nullptr) != nullptr && rows > 0;
}

}  // namespace

// libwebp crops lossy frames at even coordinates, and its chroma upsampling treats the crop's edge
// as the image's; two pixels more on each side give the pixels of a full decode.
CanvasNeed webp_canvas(const ImageInfo& info, const Rect& source) noexcept {
  const auto low = [](std::uint32_t v) { return v < 2 ? 0 : (v - 2) & ~1u; };
  const std::uint32_t x = low(source.x), y = low(source.y);
  return {.area = {x, y, std::min(source.x + source.width + 2, info.width) - x,
                   std::min(source.y + source.height + 2, info.height) - y},
          .reserved_bytes = reserved_bytes(info)};
}

Result<RowStatus> decode_webp(const DecodeJob& job) {
  if (job.cancelled.load(std::memory_order_relaxed)) return cancelled_decode();
  const Bytes file(job.encoded);
  const auto riff_end = std::min<std::uint64_t>(std::uint64_t{file.le32(4)} + 8, file.size());
  const std::span data(reinterpret_cast<const std::uint8_t*>(job.encoded.data()),
                       static_cast<std::size_t>(riff_end));

  WebPDecoderConfig config;
  if (!configure(job, config))
    return Defect{FaultKind::unsupported, Stage::decode, "another libwebp than compiled against"};
  try_reservation(job.info);
  const VP8StatusCode status = WebPDecode(data.data(), data.size(), &config);
  if (status == VP8_STATUS_OK) return RowStatus::ok;
  if (!job.strict && status != VP8_STATUS_OUT_OF_MEMORY && salvage(data, config))
    return RowStatus::damaged;
  return defect_of(status);
}

}  // namespace weir::codec
