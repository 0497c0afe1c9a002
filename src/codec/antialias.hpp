#pragma once

#include <cstddef>
#include <cstdint>

#include "codec/resampler.hpp"

namespace weir::codec {

/// Resampling of RGB by a triangle that is as wide as a step of the output where that is larger than
/// one of the source, so that every pixel counts: what Pillow's BILINEAR and torchvision's antialias
/// do, within 1 grey level. Row by row, allocating nothing; keeps as many lines as the triangle is
/// high. Where it does not make smaller it is plain bilinear interpolation.
class AntialiasResampler {
 public:
  /// Memory it works in, to be aligned to 64.
  static std::uint64_t memory_bytes(const Resize& resize) noexcept;
  AntialiasResampler() = default;
  AntialiasResampler(const Resize& resize, std::byte* memory) noexcept;

  /// As of Resampler.
  void feed(const std::uint8_t* line) noexcept;
  bool ready() const noexcept {
    return row_ < resize_.out_height && lines_.first + lines_.count <= fed_;
  }
  std::uint32_t next_row() const noexcept { return row_; }
  void make_row(std::uint8_t* out) noexcept;

 private:
  void aim() noexcept;

  Resize resize_{};
  Columns columns_{};
  Lines lines_{};                    ///< those that row_ is made of, once they were fed
  std::int16_t* ring_ = nullptr;     ///< where they are kept
  std::int16_t* weights_ = nullptr;  ///< of each
  std::uint32_t fed_ = 0, row_ = 0;
};

}  // namespace weir::codec
