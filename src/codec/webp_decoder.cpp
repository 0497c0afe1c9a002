#include <algorithm>
#include <memory>

#include <webp/decode.h>

#include "buffer/page_memory.hpp"
#include "codec/format.hpp"
#include "codec/headers.hpp"
#include "codec/webp_pieces.hpp"

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
  // No hooks: 4 bytes a pixel for a lossless frame or the alpha of a lossy one, and 1 MiB for what
  // else libwebp holds of a photograph. Not the worst case: the Huffman tables of a lossless frame,
  // which no header tells, take 5 KiB and more for each of up to 65,536 groups.
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

/// Whether libwebp is through with what stands before the pixels: it has set up its output then.
bool has_header(const WebPIDecoder* decoder) {
  int width = 0;
  return WebPIDecGetRGB(decoder, nullptr, &width, nullptr, nullptr) != nullptr && width > 0;
}

/// libwebp has no hook that could end a decode, but takes a file in pieces: here the file as far as
/// each piece reaches, so that nothing is copied. Of what one piece codes there is no way out, and
/// where a few bytes code everything that is the whole image. SUSPENDED: cut short, or cancelled.
VP8StatusCode decode_in_pieces(WebPIDecoder* decoder, const DecodeJob& job,
                               std::span<const std::uint8_t> data) {
  const WebpPieces pieces(job.info, data.size());
  auto status = VP8_STATUS_SUSPENDED;
  for (std::size_t end = 0; end < data.size() && status == VP8_STATUS_SUSPENDED;) {
    if (job.cancelled.load(std::memory_order_relaxed)) break;
    end = pieces.behind(end, has_header(decoder));
    status = WebPIUpdate(decoder, data.data(), end);
  }
  return status;
}

bool has_rows(const WebPIDecoder* decoder) {
  int rows = 0;
  return WebPIDecGetRGB(decoder, &rows, nullptr, nullptr, nullptr) != nullptr && rows > 0;
}

// libwebp crops lossy frames at even coordinates, and its chroma upsampling treats the crop's edge
// as the image's; two pixels more on each side give the pixels of a full decode.
CanvasNeed webp_need(const ImageInfo& info, const Rect& source, std::uint32_t) noexcept {
  const auto low = [](std::uint32_t v) { return v < 2 ? 0 : (v - 2) & ~1u; };
  const std::uint32_t x = low(source.x), y = low(source.y);
  return {.area = {x, y, std::min(source.x + source.width + 2, info.width) - x,
                   std::min(source.y + source.height + 2, info.height) - y},
          .reserved_bytes = reserved_bytes(info)};
}

class WebpDecoder final : public FormatDecoder {
 public:
  Result<RowStatus> decode(const DecodeJob& job) override {
    const Bytes file(job.encoded);
    const auto riff_end = std::min<std::uint64_t>(std::uint64_t{file.le32(4)} + 8, file.size());
    const std::span data(reinterpret_cast<const std::uint8_t*>(job.encoded.data()),
                         static_cast<std::size_t>(riff_end));

    WebPDecoderConfig config;
    if (!configure(job, config))
      return Defect{FaultKind::unsupported, Stage::decode, "another libwebp than compiled against"};
    try_reservation(job.info);
    const std::unique_ptr<WebPIDecoder, DeleteDecoder> decoder(WebPIDecode(nullptr, 0, &config));
    if (!decoder) return defect_of(VP8_STATUS_OUT_OF_MEMORY);
    const VP8StatusCode status = decode_in_pieces(decoder.get(), job, data);
    if (status == VP8_STATUS_OK) return RowStatus::ok;
    if (job.cancelled.load(std::memory_order_relaxed)) return cancelled_decode();
    if (!job.strict && status != VP8_STATUS_OUT_OF_MEMORY && has_rows(decoder.get()))
      return RowStatus::damaged;
    return defect_of(status);
  }
};

}  // namespace

constinit const Format webp_format{"webp", "RIFF....WEBP", read_webp_header, webp_need,
                                   make_decoder<WebpDecoder>};

}  // namespace weir::codec
