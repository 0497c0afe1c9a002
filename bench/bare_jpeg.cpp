#include "bare_jpeg.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "support/decode_plan.hpp"

namespace weir::bench {
namespace {

constexpr std::size_t rgb_bytes = 3;

void resize(const std::uint8_t* pixels, std::size_t stride, const codec::PixelRect& size,
            const ImageSize& out, std::uint8_t* row) {
  const cv::Mat from(static_cast<int>(size.height), static_cast<int>(size.width), CV_8UC3,
                     const_cast<std::uint8_t*>(pixels), stride);
  cv::Mat to(static_cast<int>(out.height), static_cast<int>(out.width), CV_8UC3, row);
  cv::resize(from, to, to.size(), 0, 0, cv::INTER_LINEAR);
}

}  // namespace

std::span<const std::byte> read_file(const std::string& path, std::vector<std::byte>& memory) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status {};
  if (file < 0 || ::fstat(file, &status) != 0) std::abort();
  const auto size = static_cast<std::size_t>(status.st_size);
  if (memory.size() < size) memory.resize(size);
  if (::read(file, memory.data(), size) != static_cast<ssize_t>(size)) std::abort();
  ::close(file);
  return std::span(memory).first(size);
}

BareJpeg::BareJpeg(const codec::FitSpec& spec) : spec_(spec) {
  // Set once only: concurrent calls crash in OpenCV's TBB arena.
  [[maybe_unused]] static const bool told = (cv::setNumThreads(1), true);
  jpeg_.err = jpeg_std_error(&errors_);
  jpeg_create_decompress(&jpeg_);
}
BareJpeg::~BareJpeg() { jpeg_destroy_decompress(&jpeg_); }

void BareJpeg::start(std::span<const std::byte> encoded) {
  jpeg_mem_src(&jpeg_, reinterpret_cast<const unsigned char*>(encoded.data()), encoded.size());
  jpeg_read_header(&jpeg_, TRUE);
  jpeg_.out_color_space = JCS_RGB;
}

void BareJpeg::huffman(std::span<const std::byte> encoded) {
  start(encoded);
  jpeg_read_coefficients(&jpeg_);
  jpeg_abort_decompress(&jpeg_);
}

void BareJpeg::read_rows(std::uint32_t rows, std::size_t stride) {
  const std::size_t bytes = off_alignment + rows * stride;
  if (memory_.size() < bytes) memory_.resize(bytes);
  for (std::uint32_t done = 0; done < rows;) {
    JSAMPROW lines[16];
    const std::uint32_t wanted = rows - done < 16 ? rows - done : 16;
    for (std::uint32_t i = 0; i < wanted; ++i) lines[i] = pixels() + (done + i) * stride;
    done += jpeg_read_scanlines(&jpeg_, lines, wanted);
  }
}

void BareJpeg::full(std::span<const std::byte> encoded, std::uint64_t draw, std::uint8_t* row) {
  start(encoded);
  const auto source = codec::pixels_of(
      codec::choose_window({jpeg_.image_height, jpeg_.image_width}, spec_, draw).source);
  jpeg_start_decompress(&jpeg_);
  const std::size_t stride = jpeg_.output_width * rgb_bytes;
  read_rows(jpeg_.output_height, stride);
  jpeg_finish_decompress(&jpeg_);
  resize(pixels() + source.y * stride + source.x * rgb_bytes, stride, source, spec_.out, row);
}

BareJpeg::Cropped BareJpeg::decode_roi(std::span<const std::byte> encoded, std::uint64_t draw) {
  start(encoded);
  const auto source = codec::pixels_of(
      codec::choose_window({jpeg_.image_height, jpeg_.image_width}, spec_, draw).source);
  return decode_part(source);
}

BareJpeg::Cropped BareJpeg::decode_part(const codec::PixelRect& source) {
  jpeg_start_decompress(&jpeg_);
  JDIMENSION x = source.x, width = source.width;
  jpeg_crop_scanline(&jpeg_, &x, &width);
  if (source.y > 0) jpeg_skip_scanlines(&jpeg_, source.y);
  read_rows(source.height, width * rgb_bytes);
  jpeg_abort_decompress(&jpeg_);
  return {source, x, width};
}

void BareJpeg::roi(std::span<const std::byte> encoded, std::uint64_t draw, std::uint8_t* row) {
  const auto [source, x, width] = decode_roi(encoded, draw);
  resize(pixels() + (source.x - x) * rgb_bytes, width * rgb_bytes, source, spec_.out, row);
}

void BareJpeg::roi(std::span<const std::byte> encoded,
                   const std::function<Window(ImageSize)>& choose, std::uint8_t* row,
                   ImageSize size) {
  start(encoded);
  const auto window = choose({jpeg_.image_height, jpeg_.image_width});
  const auto [source, x, width] = decode_part(codec::pixels_of(window.source));
  const auto target = codec::pixels_of(window.target);
  const cv::Mat from(static_cast<int>(source.height), static_cast<int>(source.width), CV_8UC3,
                     pixels() + (source.x - x) * rgb_bytes, width * rgb_bytes);
  cv::Mat all(static_cast<int>(size.height), static_cast<int>(size.width), CV_8UC3, row);
  const cv::Mat to = all(cv::Rect(static_cast<int>(target.x), static_cast<int>(target.y),
                                  static_cast<int>(target.width), static_cast<int>(target.height)));
  cv::resize(from, to, to.size(), 0, 0, cv::INTER_LINEAR);
  if (window.flip.horizontal) cv::flip(to, to, 1);
}

void BareJpeg::straight(std::span<const std::byte> encoded, std::uint8_t* row) {
  start(encoded);
  if (jpeg_.image_width != spec_.out.width || jpeg_.image_height != spec_.out.height) {
    jpeg_abort_decompress(&jpeg_);
    return full(encoded, 0, row);
  }
  jpeg_start_decompress(&jpeg_);
  const std::size_t stride = jpeg_.output_width * rgb_bytes;
  while (jpeg_.output_scanline < jpeg_.output_height) {
    JSAMPROW lines[4];
    for (std::size_t i = 0; i < 4; ++i) lines[i] = row + (jpeg_.output_scanline + i) * stride;
    jpeg_read_scanlines(&jpeg_, lines, 4);
  }
  jpeg_finish_decompress(&jpeg_);
}

void BareJpeg::roi_pixels(std::span<const std::byte> encoded, std::uint64_t draw) {
  decode_roi(encoded, draw);
}

}  // namespace weir::bench
