#include <algorithm>
#include <memory>

#include <webp/decode.h>

#include "buffer/page_memory.hpp"
#include "codec/format.hpp"
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
  // libwebp has no hooks. This reserves 4 bytes per pixel for a lossless frame or the alpha of a
  // lossy one, and 1 MiB for other memory. It is not the worst case: the Huffman tables of a
  // lossless frame need 5 KiB or more for each of up to 65,536 groups, and the header does not
  // state their number.
  return std::uint64_t{info.width} * info.height * 4 + (1 << 20);
}

/// Throws std::bad_alloc if libwebp could not allocate the reserved bytes. Some versions crash in
/// that case: 1.2.4 with Debian's patch for CVE-2023-4863 frees an uninitialised pointer.
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
  config.output.colorspace = job.native == PixelFormat::rgba8  ? MODE_RGBA
                             : job.native == PixelFormat::bgr8 ? MODE_BGR
                                                               : MODE_RGB;
  config.output.is_external_memory = 1;
  config.output.u.RGBA = {
      canvas.pixels, static_cast<int>(canvas.stride),
      canvas.stride * (canvas.area.height - 1) + canvas.area.width * pixel_bytes(job.native)};
  return true;
}

/// Whether libwebp has decoded everything before the pixels. It has then set up its output.
bool has_header(const WebPIDecoder* decoder) {
  int width = 0;
  return WebPIDecGetRGB(decoder, nullptr, &width, nullptr, nullptr) != nullptr && width > 0;
}

/// Decodes in pieces, because libwebp has no hook to cancel a decode. Each piece is a longer prefix
/// of the file, so nothing is copied. A decode cannot be cancelled within a piece. If a few bytes
/// encode the whole image, that is the whole decode. SUSPENDED: truncated or cancelled.
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

// libwebp crops lossy frames at even coordinates, and its chroma upsampling treats the edge of the
// crop as the edge of the image. Two more pixels on each side give the pixels of a full decode.
CanvasNeed webp_need(const ImageInfo& info, const PixelRect& source, std::uint32_t,
                     PixelFormat pixels) noexcept {
  const auto low = [](std::uint32_t v) { return v < 2 ? 0 : (v - 2) & ~1u; };
  // libwebp 1.2.4 gives a cropped lossy frame the alpha of other lines, unless it begins at the top.
  const bool from_top =
      pixels == PixelFormat::rgba8 && info.alpha && !info.layout.get<WebpLayout>().lossless;
  const std::uint32_t x = low(source.x), y = from_top ? 0 : low(source.y);
  return {
      .area = {x, y, std::min(source.x + source.width + 2, info.width) - x,
               std::min(source.y + source.height + 2, info.height) - y},
      .native = value_bytes(pixels) == 1 && channels_of(pixels) > 1 ? pixels : PixelFormat::rgb8,
      .reserved_bytes = reserved_bytes(info)};
}

Result<RowStatus> decode_webp(const DecodeJob& job) {
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

}  // namespace

constinit const Format webp_format{
    "webp",
    "RIFF....WEBP",
    read_webp_header,
    webp_need,
    decode_webp,
    [](const ImageInfo&, PixelFormat pixels) noexcept {
      return is_stored(pixels) ? "WebP has colours, and stored formats have one value; use rgb8"
                               : static_cast<const char*>(nullptr);
    }};

}  // namespace weir::codec
