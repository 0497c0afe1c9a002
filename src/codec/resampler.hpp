#pragma once

#include <cstddef>
#include <cstdint>

#include "codec/kernels.hpp"

namespace weir::codec {

/// Resamples images row by row without allocations. It keeps only the source lines for one output
/// row, already resampled to the output's width. Channels are resampled on their own.
///
/// Bilinear uses two lines. With 8-bit values it gives the same bits as cv::resize with INTER_LINEAR.
/// `antialiased` agrees with Pillow's BILINEAR and torchvision's antialias within 1 grey level.
/// 16-bit results are within 1 of the exact value.
class Resampler {
 public:
  /// Working memory in bytes. It must be aligned to 64.
  static std::uint64_t memory_bytes(const Resize& resize) noexcept;
  Resampler() = default;
  Resampler(const Resize& resize, std::byte* memory) noexcept;

  /// Adds the next source line. The `overrun` bytes after it must be readable.
  void feed(const std::uint8_t* line) noexcept;
  /// Whether row next_row() of the output can be computed.
  bool ready() const noexcept { return row_ < resize_.out_height && lines_.last < fed_; }
  std::uint32_t next_row() const noexcept { return row_; }
  void make_row(std::uint8_t* out) noexcept;

 private:
  Resize resize_{};
  const Kernel* kernel_ = nullptr;
  Columns columns_{};
  Lines lines_{};                 ///< source lines of row_, valid when they have been fed
  std::byte* weights_ = nullptr;  ///< weight of each line
  std::uint32_t fed_ = 0, row_ = 0;
};

}  // namespace weir::codec
