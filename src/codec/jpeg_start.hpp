#pragma once

#include <array>
#include <cstddef>
#include <cstdio>
#include <span>

#include <jpeglib.h>

#include "codec/arena.hpp"

namespace weir::codec {

/// The state of libjpeg after the header of a file and jpeg_start_decompress(), for later files with
/// the same header. To reach it takes libjpeg a third of its time for an image of 32 x 32, and files
/// of one encoder, size and quality often have the same header.
///
/// libjpeg has no state but its struct and what its memory manager has given it, and the state here
/// follows from the header alone. So a copy of all that is the state, if it returns to the same
/// addresses.
class JpegStart {
 public:
  /// What the state follows from.
  struct Of {
    std::span<const std::byte> header;  ///< of the file, up to its scan
    J_COLOR_SPACE colours;              ///< of the output
    unsigned reduce;                    ///< of the size
  };

  /// Finds the objects that jpeg_create_decompress() has just made, outside of the arena.
  void find_objects(jpeg_decompress_struct& jpeg);
  /// Brings `jpeg` into the kept state, if it is that of `of` in this arena.
  bool restore(const Of& of, jpeg_decompress_struct& jpeg, Arena& arena) const noexcept;
  /// Keeps the state of `jpeg`, which has read the header and nothing else. The first file with a
  /// header only has its header kept: where each file has its own, no state is copied.
  void keep(const Of& of, const jpeg_decompress_struct& jpeg, const Arena& arena) noexcept;

 private:
  bool matches(const Of& of) const noexcept;

  std::span<std::byte> objects_;  ///< in libjpeg's memory; empty: unknown, and nothing is kept
  std::array<std::byte, 1024> header_;
  Of of_{};  ///< of the last file; its header: in header_
  bool kept_ = false;
  jpeg_decompress_struct jpeg_;
  std::array<std::byte, 1024> object_bytes_;
  std::byte* arena_ = nullptr;  ///< where the state was in its arena
  std::size_t used_ = 0;
  std::array<std::byte, 24 << 10> arena_bytes_;  ///< 17 KiB at 32 x 32, 22.5 KiB at 256 x 256
};

}  // namespace weir::codec
