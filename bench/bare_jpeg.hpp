#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <jpeglib.h>

#include "codec/window.hpp"

namespace weir::bench {

/// Bytes from a block of malloc() to the first line of pixels. It keeps lines off vector boundaries, at which
/// libjpeg-turbo writes past the caches. Small images then take up to a third longer.
inline constexpr std::size_t off_alignment = 8;

/// Reads a whole file into `memory`, which grows. A file that cannot be read ends the program.
std::span<const std::byte> read_file(const std::string& path, std::vector<std::byte>& memory);

/// libjpeg-turbo and cv::resize in a bare loop that reuses its struct and buffers. It has no limits,
/// no books, and only libjpeg's own checks. It is the reference for weir. Bad files end the program.
class BareJpeg {
 public:
  explicit BareJpeg(const codec::FitSpec& spec);
  ~BareJpeg();
  BareJpeg(const BareJpeg&) = delete;
  BareJpeg& operator=(const BareJpeg&) = delete;

  /// Only entropy decoding, into coefficients.
  void huffman(std::span<const std::byte> encoded);
  /// All pixels, then resizes the window into `row`.
  void full(std::span<const std::byte> encoded, std::uint64_t draw, std::uint8_t* row);
  /// The rows and columns that the window needs, then resizes them into `row`.
  void roi(std::span<const std::byte> encoded, std::uint64_t draw, std::uint8_t* row);
  /// The same for a window of one's own, which `choose` gives for the size of the image: into its target in a
  /// row of this size, mirrored if it says so.
  void roi(std::span<const std::byte> encoded, const std::function<Window(ImageSize)>& choose,
           std::uint8_t* row, ImageSize size);
  /// All pixels directly into `row`. Resizes images of another size.
  void straight(std::span<const std::byte> encoded, std::uint8_t* row);
  /// roi() without the resize.
  void roi_pixels(std::span<const std::byte> encoded, std::uint64_t draw);

 private:
  struct Cropped {
    codec::PixelRect source;
    std::uint32_t x, width;
  };
  void start(std::span<const std::byte> encoded);
  Cropped decode_roi(std::span<const std::byte> encoded, std::uint64_t draw);
  Cropped decode_part(const codec::PixelRect& source);
  void read_rows(std::uint32_t rows, std::size_t stride);
  std::uint8_t* pixels() noexcept { return memory_.data() + off_alignment; }

  codec::FitSpec spec_;
  jpeg_decompress_struct jpeg_{};
  jpeg_error_mgr errors_{};
  std::vector<std::uint8_t> memory_;  ///< of pixels()
};

}  // namespace weir::bench
