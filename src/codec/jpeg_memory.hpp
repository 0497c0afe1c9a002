#pragma once

#include <cstdio>

#include <jpeglib.h>

#include "codec/format.hpp"

template <class Row>
struct WholeArray;

namespace weir::codec {

/// libjpeg's memory manager on an arena. All memory of a decode comes from charged scratch,
/// including the whole-image coefficients of progressive files. If the arena is used up, libjpeg
/// raises JERR_OUT_OF_MEMORY. It frees nothing; the caller abandons the arena.
class JpegMemory {
 public:
  JpegMemory() noexcept;
  JpegMemory(const JpegMemory&) = delete;
  JpegMemory& operator=(const JpegMemory&) = delete;

  /// Makes `jpeg` allocate from `arena`. Both must outlive the decode.
  void attach(jpeg_decompress_struct& jpeg, Arena& arena) noexcept;

 private:
  struct Calls;
  // First member, because libjpeg's callbacks find this object by its address.
  jpeg_memory_mgr manager_{};
  Arena* arena_ = nullptr;
  WholeArray<JSAMPROW>* samples_ = nullptr;
  WholeArray<JBLOCKROW>* blocks_ = nullptr;
};

/// Maximum that libjpeg-turbo 2.1 takes from the arena for an image with this header, with islow
/// DCT, fancy upsampling and RGB or CMYK output. Reductions by 2, 4 or 8 take less.
std::uint64_t jpeg_arena_bytes(const ImageInfo& info) noexcept;

}  // namespace weir::codec
