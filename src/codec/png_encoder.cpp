#include "codec/png_encoder.hpp"

#include <bit>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <vector>

#include <png.h>

#include "base/checked.hpp"
#include "codec/arena.hpp"
#include "codec/format.hpp"

namespace weir::codec {
namespace {

/// All state of libpng's callbacks. It is trivially destructible and lives outside of the frames
/// that longjmp leaves.
struct PngWriter {
  const ImageView& image;
  std::span<std::byte> out;
  const std::atomic<bool>* stopping;
  Arena& arena;
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::size_t written = 0;
  char reason[128] = "libpng found no memory";
};

bool is_stopped(const PngWriter& w) noexcept {
  return w.stopping != nullptr && w.stopping->load(std::memory_order_relaxed);
}

void append(png_structp png, png_bytep data, std::size_t count) {
  auto& w = *static_cast<PngWriter*>(png_get_io_ptr(png));
  if (count > w.out.size() - w.written) png_error(png, "it is larger than its memory");
  std::memcpy(w.out.data() + w.written, data, count);
  w.written += count;
}

void create(PngWriter& w) {
  w.png = png_create_write_struct_2(
      PNG_LIBPNG_VER_STRING, &w,
      [](png_structp png, png_const_charp reason) {
        auto& writer = *static_cast<PngWriter*>(png_get_error_ptr(png));
        std::snprintf(writer.reason, sizeof writer.reason, "%s", reason);
        png_longjmp(png, 1);
      },
      [](png_structp, png_const_charp) {}, &w.arena,
      [](png_structp png, png_alloc_size_t count) {
        return static_cast<Arena*>(png_get_mem_ptr(png))->take(count);
      },
      [](png_structp, png_voidp) {});
  if (w.png != nullptr) w.info = png_create_info_struct(w.png);
}

void write_image(PngWriter& w) {
  const auto& [data, size, stride, format] = w.image;
  const auto channels = channels_of(format);
  png_set_write_fn(w.png, &w, append, nullptr);
  png_set_user_limits(w.png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_IHDR(w.png, w.info, size.width, size.height, 8 * static_cast<int>(value_bytes(format)),
               channels == 1   ? PNG_COLOR_TYPE_GRAY
               : channels == 4 ? PNG_COLOR_TYPE_RGB_ALPHA
                               : PNG_COLOR_TYPE_RGB,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  // The difference of two indices means nothing.
  if (format == PixelFormat::stored8) png_set_filter(w.png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
  png_write_info(w.png, w.info);
  if (format == PixelFormat::bgr8) png_set_bgr(w.png);
  if constexpr (std::endian::native == std::endian::little)
    if (value_bytes(format) == 2) png_set_swap(w.png);
  for (std::uint32_t y = 0; y < size.height; ++y) {
    if (is_stopped(w)) png_error(w.png, "stopped");
    png_write_row(w.png, data + y * stride);
  }
  png_write_end(w.png, nullptr);
}

// Separate from write_image, so that no local variable is live across setjmp.
bool is_written(PngWriter& w) {
  if (setjmp(png_jmpbuf(w.png)) != 0) return false;
  write_image(w);
  return true;
}

std::uint64_t line_bytes(PixelFormat format, std::uint32_t width) noexcept {
  return image_bytes({1, width}, format) + 1;  // with the number of its filter
}

}  // namespace

// zlib adds at most a seventh (deflateBound), and libpng 12 bytes to each piece of 8 KiB.
std::uint64_t most_png_bytes(PixelFormat format, ImageSize size) noexcept {
  const auto bytes = mul_sat(line_bytes(format, size.width), size.height);
  return add_sat(add_sat(bytes, bytes / 6), 1024);
}

// zlib's state and libpng's structs and buffer: 272 KiB were measured. Also the line, the one before
// it, and two that are filtered.
std::uint64_t png_encoder_bytes(PixelFormat format, std::uint32_t width) noexcept {
  constexpr std::uint64_t fixed = 512 << 10, lines = 4;
  return fixed + lines * (line_bytes(format, width) + Arena::alignment);
}

Result<std::span<const std::byte>> encode_png(const ImageView& image, std::span<std::byte> out,
                                              const std::atomic<bool>* stopping) {
  std::vector<std::byte> memory(
      static_cast<std::size_t>(png_encoder_bytes(image.format, image.shape.width)));
  Arena arena(memory);
  PngWriter w{image, out, stopping, arena};
  create(w);
  const bool complete = w.info != nullptr && is_written(w);
  png_destroy_write_struct(&w.png, &w.info);
  if (complete) return std::span<const std::byte>(out.first(w.written));
  if (is_stopped(w)) return cancelled_decode();
  return Defect{FaultKind::memory, Stage::decode, concat("cannot make the PNG: ", w.reason)};
}

}  // namespace weir::codec
