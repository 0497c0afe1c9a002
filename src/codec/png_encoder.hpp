#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/defect.hpp"
#include "weir/image.hpp"

namespace weir::codec {

/// Bytes of the largest PNG that encode_png() can make. Saturates.
std::uint64_t most_png_bytes(PixelFormat format, ImageSize size) noexcept;
/// Bytes that encode_png() allocates at once, and frees.
std::uint64_t png_encoder_bytes(PixelFormat format, std::uint32_t width) noexcept;

/// Encodes a PNG into `out`, which has most_png_bytes(), and returns the part that was written. Nothing
/// is lost: of 16-bit formats it has 16 bits, and stored values become grey values without a palette.
/// The Defect is of kind `memory`, or that of a cancelled decode if `stopping` was true before a line.
/// Throws std::bad_alloc.
Result<std::span<const std::byte>> encode_png(const ImageView& image, std::span<std::byte> out,
                                              const std::atomic<bool>* stopping = nullptr);

}  // namespace weir::codec
