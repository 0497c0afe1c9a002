#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

#include "codec/resampler.hpp"
#include "codec/window.hpp"
#include "weir/image.hpp"
#include "weir/rows.hpp"

namespace weir::codec {

/// The mapping from a decoded rectangle to a part of a row of the slab.
struct Placement {
  PixelRect source;  ///< stored coordinates
  Orientation orientation;
  PixelRect target;  ///< output coordinates, upright
  ImageSize out;
  Filter filter = Filter::bilinear;
  Rect part{};              ///< as Resize::part, within `source`
  bool fractional = false;  ///< whether `part` has edges inside pixels of the file
  PixelFormat format = PixelFormat::rgb8;
  PixelFormat native = PixelFormat::rgb8;  ///< of the lines from the decoder
  /// Orientation of the file, without a flip of the window.
  Orientation file{};
  Fill fill{};  ///< of the row outside the target

  /// Width of the target in the orientation of the stored image.
  std::uint32_t patch_width() const noexcept {
    return orientation.transpose ? target.height : target.width;
  }
  std::uint32_t patch_height() const noexcept {
    return orientation.transpose ? target.width : target.height;
  }
  bool resamples() const noexcept {
    return source.width != patch_width() || source.height != patch_height() || part.x != 0 ||
           part.y != 0 || fractional;
  }
};

/// Receives the lines of `source` from top to bottom and writes the target immediately. It uses a
/// Resampler, or copies if nothing is resampled. It also rotates and mirrors, and gives lines of
/// another format that of the row.
class RowSink {
 public:
  /// Working memory in bytes. It must be aligned to 64.
  static std::uint64_t memory_bytes(const Placement& placement) noexcept;
  RowSink(const Placement& placement, std::byte* memory, std::uint8_t* row) noexcept;

  /// Adds the next line, with source.width pixels of the format `native`. The `overrun` bytes after it must be readable.
  void put(const std::uint8_t* line) noexcept;
  /// Adds the lines that a damaged image does not have (lenient mode). `spare`: room for a line.
  void put_missing(std::uint8_t* spare) noexcept;
  /// Whether lines enter the row as they are.
  bool copies_lines() const noexcept {
    return !placement_.resamples() && converted_ == nullptr && !placement_.orientation.mirror_x &&
           !placement_.orientation.transpose;
  }
  /// The same as put() of each line, if copies_lines(). Not part of spent().
  void copy(std::span<std::uint8_t* const> lines, std::size_t skipped_bytes) noexcept;
  /// Begins again with the first line.
  void restart() noexcept { *this = RowSink(placement_, memory_, row_); }
  /// Number of lines so far.
  std::uint32_t count() const noexcept { return count_; }
  /// Estimated time in put(), from one line in 37. 0 with fewer than ten lines.
  std::chrono::nanoseconds spent() const noexcept { return spent_; }

 private:
  void take(const std::uint8_t* line) noexcept;
  /// Adds a line in the format of the row.
  void add_line(const std::uint8_t* line) noexcept;
  void put(std::uint32_t patch_row, const std::uint8_t* pixels, bool mirror) noexcept;
  /// Start of a row of the patch in the output.
  std::uint8_t* start_of(std::uint32_t patch_row) const noexcept {
    return first_ + static_cast<std::ptrdiff_t>(patch_row) * line_step_;
  }
  std::size_t pixel() const noexcept { return pixel_bytes(placement_.format); }

  Placement placement_;
  std::byte* memory_;
  std::uint8_t* row_;
  std::uint8_t* first_;                 ///< start of the patch's first row
  std::ptrdiff_t line_step_;            ///< bytes from one row of the patch to the next
  std::uint8_t* transposed_ = nullptr;  ///< a resampled line that becomes a column
  std::uint8_t* converted_ = nullptr;   ///< a line in the format of the row
  Resampler resampler_;
  std::uint32_t count_ = 0;
  std::chrono::nanoseconds spent_{0};
};

/// Fills the part of the row outside the target.
void fill_around(const Placement& placement, std::uint8_t* row);

}  // namespace weir::codec
