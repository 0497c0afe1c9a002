#include <bit>
#include <csetjmp>
#include <cstdio>
#include <cstring>

#include <png.h>

#include "codec/format.hpp"

namespace weir::codec {
namespace {

/// All state of libpng's callbacks. It is trivially destructible and lives outside of the frames
/// that longjmp leaves.
struct PngSession {
  png_structp png;
  png_infop info;
  const DecodeJob* job;
  std::size_t at;
  FaultKind kind;
  bool has_pixels;
  char reason[128];
};

[[noreturn]] void leave(PngSession& s, FaultKind kind, const char* reason) {
  s.kind = kind;
  std::snprintf(s.reason, sizeof s.reason, "%s", reason);
  png_longjmp(s.png, 1);
}

[[noreturn]] void on_error(png_structp png, png_const_charp reason) {
  auto& s = *static_cast<PngSession*>(png_get_error_ptr(png));
  leave(s, s.kind, reason);
}
void on_warning(png_structp, png_const_charp) {}

void on_read(png_structp png, png_bytep out, std::size_t count) {
  auto& s = *static_cast<PngSession*>(png_get_io_ptr(png));
  const auto encoded = s.job->encoded;
  // libpng also reads after the pixels and while it skips chunks, so check here too.
  if (s.job->cancelled.load(std::memory_order_relaxed)) leave(s, FaultKind::io, "cancelled");
  if (count > encoded.size() - s.at) leave(s, FaultKind::truncated, "cut inside a chunk");
  std::memcpy(out, encoded.data() + s.at, count);
  s.at += count;
}

// libpng and its zlib allocate only through these two functions, from charged scratch.
png_voidp on_allocate(png_structp png, png_alloc_size_t count) {
  auto& s = *static_cast<PngSession*>(png_get_mem_ptr(png));
  void* const memory = s.job->arena.take(count);
  if (memory == nullptr) s.kind = FaultKind::memory;
  return memory;
}
void on_free(png_structp, png_voidp) {}

void set_policy(PngSession& s) {
  const ImageInfo& info = s.job->info;
  png_set_read_fn(s.png, &s, on_read);
  png_set_benign_errors(s.png, 0);
  png_set_user_limits(s.png, info.width, info.height);
  // libpng uses only tRNS of the ancillary chunks. It does not inflate or keep the others.
  png_set_keep_unknown_chunks(s.png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
  // Without alpha in the output, only strict mode cares whether tRNS is valid.
  if (!s.job->strict && s.job->native != PixelFormat::rgba8)
    png_set_keep_unknown_chunks(s.png, PNG_HANDLE_CHUNK_NEVER,
                                reinterpret_cast<png_const_bytep>("tRNS"), 1);
  // libpng's palette always has 256 entries, so an index beyond PLTE gives black.
  png_set_check_for_invalid_index(s.png, 0);
  // libpng reads IDAT in pieces and loses the last, truncated piece. Small pieces save more rows.
  if (info.damaged) png_set_compression_buffer_size(s.png, 64);
}

/// The format that libpng makes of a file. Conversions of colours to grey are weir's own, because
/// libpng's depend on gamma.
PixelFormat png_native(const ImageInfo& info, PixelFormat pixels) noexcept {
  const bool wide = info.bit_depth == 16;
  if (is_stored(pixels)) return wide ? PixelFormat::stored16 : PixelFormat::stored8;
  const bool keeps_wide = wide && value_bytes(pixels) == 2;
  if (channels_of(pixels) == 1 && info.layout.get<PngLayout>().is_grey())
    return keeps_wide ? PixelFormat::grey16 : PixelFormat::grey8;
  if (keeps_wide) return PixelFormat::rgb16;
  return value_bytes(pixels) == 2 || channels_of(pixels) == 1 ? PixelFormat::rgb8 : pixels;
}

void set_format(PngSession& s) {
  const PixelFormat native = s.job->native;
  if (is_stored(native))
    png_set_packing(s.png);
  else
    png_set_expand(s.png);
  if (value_bytes(native) == 1)
    png_set_strip_16(s.png);
  else if constexpr (std::endian::native == std::endian::little)
    png_set_swap(s.png);
  if (native == PixelFormat::rgba8)
    png_set_add_alpha(s.png, 255, PNG_FILLER_AFTER);
  else
    png_set_strip_alpha(s.png);
  if (channels_of(native) != 1) png_set_gray_to_rgb(s.png);
  if (native == PixelFormat::bgr8) png_set_bgr(s.png);
}

const char* png_refuses(const ImageInfo& info, PixelFormat pixels) noexcept {
  if (!is_stored(pixels)) return nullptr;
  const auto layout = info.layout.get<PngLayout>();
  if (!layout.is_grey() && layout.colour != PngLayout::palette)
    return info.bit_depth == 16
               ? "PNG has colours of 16 bits, and stored formats have one value; use rgb16"
               : "PNG has colours, and stored formats have one value; use rgb8";
  if (info.bit_depth == 16 && value_bytes(pixels) == 1)
    return "PNG with values of 16 bits; use stored16";
  return nullptr;
}

void read_image(PngSession& s) {
  const DecodeJob& job = *s.job;
  set_policy(s);
  png_read_info(s.png, s.info);
  if (png_get_image_width(s.png, s.info) != job.info.width ||
      png_get_image_height(s.png, s.info) != job.info.height) {
    leave(s, FaultKind::corrupt, "libpng reads another header than weir");
  }
  set_format(s);
  const int passes = png_set_interlace_handling(s.png);
  png_read_update_info(s.png, s.info);
  if (png_get_rowbytes(s.png, s.info) != std::size_t{job.info.width} * pixel_bytes(job.native)) {
    leave(s, FaultKind::corrupt, "libpng lays its rows out otherwise than weir");
  }
  // Only an interlaced image must be read to its end, because each pass changes all of its rows.
  const bool streams = job.canvas.pixels == nullptr;
  const std::uint32_t first = job.source.y, end = first + job.source.height;
  for (int pass = 0; pass < passes; ++pass) {
    for (std::uint32_t y = 0; y < (streams ? end : job.info.height); ++y) {
      // An interlaced pass updates the existing content of a row. An unused row may contain
      // anything.
      png_read_row(s.png, !streams && job.canvas.holds_row(y) ? job.canvas.row(y) : job.spare,
                   nullptr);
      s.has_pixels = true;
      if (streams && y >= first)
        job.sink.put(job.spare + std::size_t{job.source.x} * pixel_bytes(job.native));
      if (job.cancelled.load(std::memory_order_relaxed)) leave(s, FaultKind::io, "cancelled");
    }
  }
  if (!streams || end == job.info.height) png_read_end(s.png, nullptr);
}

// Separate from read_image, so that no local variable is live across setjmp.
bool succeeds(PngSession& s) {
  if (setjmp(png_jmpbuf(s.png)) != 0) return false;
  read_image(s);
  return true;
}

CanvasNeed png_need(const ImageInfo& info, const PixelRect& source, std::uint32_t,
                    PixelFormat pixels) noexcept {
  // Structs, palettes, zlib's state and window, and the IDAT buffer: 48 KiB were measured. Also two
  // rows with up to 8 bytes per pixel before the conversion.
  constexpr std::uint64_t fixed = 64 << 10, rows = 2, widest_pixel = 8, row_padding = 256;
  const PixelFormat native = png_native(info, pixels);
  const bool streams = !info.progressive, all_rows = source.height == info.height;
  return {.area = {0, source.y, info.width, source.height},
          .streams = streams,
          .native = native,
          .spare_bytes =
              all_rows && !streams ? 0 : std::uint64_t{info.width} * pixel_bytes(native) + overrun,
          .arena_bytes = fixed + rows * (info.width * widest_pixel + row_padding)};
}

Result<RowStatus> decode_png(const DecodeJob& job) {
  PngSession s{};
  s.job = &job;
  s.kind = FaultKind::corrupt;
  s.png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &s, on_error, on_warning, &s, on_allocate,
                                   on_free);
  s.info = s.png == nullptr ? nullptr : png_create_info_struct(s.png);
  const bool created = s.info != nullptr;
  const bool complete = created && succeeds(s);
  png_destroy_read_struct(&s.png, &s.info, nullptr);
  if (!created) return Defect{FaultKind::memory, Stage::decode, "libpng found no memory"};
  if (complete) return RowStatus::ok;
  const bool deliverable = s.kind == FaultKind::corrupt || s.kind == FaultKind::truncated;
  if (!job.strict && s.has_pixels && deliverable) return RowStatus::damaged;
  return Defect{s.kind, Stage::decode, s.reason, s.at};
}

}  // namespace

constinit const Format png_format{"png",    "\x89PNG\r\n\x1a\n", read_png_header,
                                  png_need, decode_png,          png_refuses};

}  // namespace weir::codec
