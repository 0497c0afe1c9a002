#include "source/jpeg_encoder.hpp"

#include <csetjmp>
#include <cstdio>

#include <jpeglib.h>

#include <array>
#include <string>
#include <vector>

#include "base/text.hpp"

namespace weir::source {
namespace {

struct ErrorManager : jpeg_error_mgr {
  std::jmp_buf escape;
  std::array<char, JMSG_LENGTH_MAX> message;
};

[[noreturn]] void leave(j_common_ptr codec) {
  auto* errors = static_cast<ErrorManager*>(codec->err);
  errors->format_message(codec, errors->message.data());
  std::longjmp(errors->escape, 1);
}
void keep_quiet(j_common_ptr) {}

struct Destination : jpeg_destination_mgr {
  std::span<std::byte> memory;
};
void start(j_compress_ptr codec) {
  auto* to = static_cast<Destination*>(codec->dest);
  to->next_output_byte = reinterpret_cast<JOCTET*>(to->memory.data());
  to->free_in_buffer = to->memory.size();
}
boolean overflow(j_compress_ptr codec) { leave(reinterpret_cast<j_common_ptr>(codec)); }
void stop(j_compress_ptr) {}

// An image of this many pixels takes some ten milliseconds.
constexpr std::uint32_t pixels_between_looks = 1u << 21;

// longjmp skips destructors, so this function has no objects with one.
bool compress(jpeg_compress_struct& codec, ErrorManager& errors, Destination& to, const Rows& rows,
              ImageSize shape, PixelFormat format, int quality, std::span<std::uint8_t> row) {
  if (setjmp(errors.escape) != 0) return false;
  jpeg_create_compress(&codec);
  codec.dest = &to;
  codec.image_width = shape.width;
  codec.image_height = shape.height;
  codec.input_components = static_cast<int>(channels_of(format));
  codec.in_color_space = format == PixelFormat::grey8 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&codec);
  jpeg_set_quality(&codec, quality, TRUE);
  jpeg_start_compress(&codec, TRUE);
  const auto lines_between_looks = pixels_between_looks / codec.image_width + 1;
  while (codec.next_scanline < codec.image_height) {
    const bool looks = (codec.next_scanline + 1) % lines_between_looks == 0;
    if (looks && rows.stopped()) return false;
    rows.paint(codec.next_scanline, row);
    JSAMPROW line = row.data();
    jpeg_write_scanlines(&codec, &line, 1);
  }
  jpeg_finish_compress(&codec);
  return true;
}

}  // namespace

// Three coefficients for two pixels, each at most two bytes after entropy coding, and headers.
// tjBufSize of libjpeg-turbo gives the same bound.
std::size_t most_jpeg_bytes(ImageSize shape) noexcept {
  const auto padded = [](std::size_t side) { return (side + 15) / 16 * 16; };
  return padded(shape.height) * padded(shape.width) * 3 + 2048;
}

std::span<std::byte> encode_jpeg(const Rows& rows, ImageSize shape, PixelFormat format, int quality,
                                 std::span<std::byte> memory) {
  // Not thread_local: the C library ends the process if it cannot register the destructor.
  std::vector<std::uint8_t> row(std::size_t{shape.width} * pixel_bytes(format));

  ErrorManager errors{};
  jpeg_std_error(&errors);
  errors.error_exit = leave;
  errors.output_message = keep_quiet;
  Destination to{};
  to.init_destination = start;
  to.empty_output_buffer = overflow;
  to.term_destination = stop;
  to.memory = memory;

  jpeg_compress_struct codec{};
  codec.err = &errors;
  const bool done = compress(codec, errors, to, rows, shape, format, quality, row);
  jpeg_destroy_compress(&codec);
  if (!done && errors.message[0] == '\0') throw SampleError(FaultKind::io, "stopped");
  if (!done)
    throw SampleError(FaultKind::memory, concat("cannot make the JPEG: ", errors.message.data()));
  return to.memory.first(to.memory.size() - to.free_in_buffer);
}

}  // namespace weir::source
