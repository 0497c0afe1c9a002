#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include <jpeglib.h>

#include "codec/geometry.hpp"

namespace weir::bench {

/// libjpeg-turbo and cv::resize in a bare loop, its struct and buffers reused: no limits, no books, no
/// checks beyond libjpeg's own. What weir is held against. Bad files end the program.
class BareJpeg {
 public:
  explicit BareJpeg(const codec::FitSpec& spec);
  ~BareJpeg();
  BareJpeg(const BareJpeg&) = delete;
  BareJpeg& operator=(const BareJpeg&) = delete;

  /// Entropy decoding alone, into coefficients.
  void huffman(std::span<const std::byte> encoded);
  /// All pixels, then the window of them resized into `row`.
  void full(std::span<const std::byte> encoded, std::uint64_t draw, std::uint8_t* row);
  /// The rows and columns that the window needs, then resized into `row`.
  void roi(std::span<const std::byte> encoded, std::uint64_t draw, std::uint8_t* row);
  /// All pixels straight into `row`; those of an image of another size resized.
  void straight(std::span<const std::byte> encoded, std::uint8_t* row);
  /// roi() without the resize.
  void roi_pixels(std::span<const std::byte> encoded, std::uint64_t draw);

 private:
  struct Cropped {
    codec::Rect source;
    std::uint32_t x, width;
  };
  void start(std::span<const std::byte> encoded);
  Cropped decode_roi(std::span<const std::byte> encoded, std::uint64_t draw);
  void read_rows(std::uint32_t rows, std::size_t stride);

  codec::FitSpec spec_;
  jpeg_decompress_struct jpeg_{};
  jpeg_error_mgr errors_{};
  std::vector<std::uint8_t> pixels_;
};

}  // namespace weir::bench
