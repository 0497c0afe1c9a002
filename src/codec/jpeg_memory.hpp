#pragma once

#include <cstddef>
#include <cstdio>

#include <jpeglib.h>

#include "codec/arena.hpp"
#include "codec/decoder.hpp"

template <class Row>
struct WholeArray;

namespace weir::codec {

/// libjpeg's memory manager over an arena: every byte of an image's decode, whole-image
/// coefficients of progressive files included, is taken from scratch that was charged before. Where
/// the arena is used up libjpeg raises JERR_OUT_OF_MEMORY. Frees nothing: the arena is dropped.
class JpegMemory {
 public:
  JpegMemory() noexcept;
  JpegMemory(const JpegMemory&) = delete;
  JpegMemory& operator=(const JpegMemory&) = delete;

  /// From now on `jpeg` allocates from `arena`. Both outlive the decode.
  void attach(jpeg_decompress_struct& jpeg, Arena& arena) noexcept;

 private:
  struct Calls;
  jpeg_memory_mgr manager_{};  // first: libjpeg's callbacks find this object by its address
  Arena* arena_ = nullptr;
  WholeArray<JSAMPROW>* samples_ = nullptr;
  WholeArray<JBLOCKROW>* blocks_ = nullptr;
};

/// Most that libjpeg-turbo 2.1 takes from the arena for one image of this header, with islow DCT,
/// fancy upsampling and RGB or CMYK output. Where it reduces by 2, 4 or 8 it takes less.
std::uint64_t jpeg_arena_bytes(const ImageInfo& info) noexcept;

}  // namespace weir::codec
