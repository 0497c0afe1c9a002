#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>

#include "base/text.hpp"
#include "weir/image.hpp"
#include "weir/source.hpp"

namespace weir::source {

/// Pixels that a source writes as a binary PNM, for which weir needs no decoder.
class PixelSample {
 public:
  PixelSample(ImageSize size, PixelFormat format)
      : header_(concat("P", format == PixelFormat::grey8 ? "5 " : "6 ", size.width, ' ',
                       size.height, " 255\n")),
        pixel_bytes_(image_bytes(size, format)) {}

  std::uint64_t bytes() const noexcept { return header_.size() + pixel_bytes_; }
  /// Memory of one sample, with its header. Empty if the sink refuses it.
  std::optional<std::span<std::byte>> take(ByteSink& sink) const {
    auto memory = sink.try_take(static_cast<std::size_t>(bytes()));
    if (memory) std::memcpy(memory->data(), header_.data(), header_.size());
    return memory;
  }
  /// The part of that memory for rows, columns and channels, interleaved.
  std::span<std::byte> pixels(std::span<std::byte> memory) const noexcept {
    return memory.subspan(header_.size());
  }

 private:
  std::string header_;
  std::uint64_t pixel_bytes_;
};

}  // namespace weir::source
