#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "codec/decoder.hpp"

namespace weir::codec {

/// How a JPEG is written with restart intervals, and the memory for it.
struct TilePlan {
  std::uint32_t tiles;       ///< restart intervals in each row of MCUs
  std::uint32_t interval;    ///< MCUs of each
  std::uint64_t work_bytes;  ///< scratch memory
  std::uint64_t most_bytes;  ///< a file must be shorter to be written
};

/// For a JPEG of `encoded_bytes`. The result has the number of tiles nearest to `tiles`, 1 or more,
/// that divides the row of MCUs: by ratio, of two the larger one, but at most twice as many. Pure.
TilePlan plan_tiles(const ImageInfo& info, std::uint64_t encoded_bytes,
                    std::uint32_t tiles) noexcept;

/// Writes the coefficients of a JPEG as a file of one Huffman-coded sequential scan, with the plan's
/// restart interval and its own Huffman tables. All decoders give the same pixels. The APPn and COM
/// segments before the first scan are kept; bytes behind the image are not. `scratch` has plan.work_bytes, aligned to 64,
/// and `out` plan.most_bytes. Returns the part of `out` that was written. Nothing if libjpeg reports
/// anything about the file, if a decoder would smooth it because its scans are incomplete, if one
/// scan cannot have its components, if it would be too long, or if `cancelled`.
std::optional<std::span<const std::byte>> write_tiles(std::span<const std::byte> jpeg,
                                                      const TilePlan& plan,
                                                      std::span<std::byte> scratch,
                                                      std::span<std::byte> out,
                                                      const std::atomic<bool>& cancelled) noexcept;

}  // namespace weir::codec
