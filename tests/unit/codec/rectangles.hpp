#pragma once

#include <random>
#include <utility>

#include "codec/format.hpp"
#include "encoders.hpp"

namespace weir::codec::test {

struct DecodedRectangle {
  Result<RowStatus> status;
  Pixels pixels{};
};

/// `source` of the reduced image, decoded without resampling, in exactly the memory that need()
/// states. In lenient mode, missing lines stay 0.
inline DecodedRectangle decode_rectangle(std::span<const std::byte> encoded, const ImageInfo& info,
                                         const PixelRect& source, std::uint32_t reduce = 1,
                                         bool strict = true,
                                         PixelFormat format = PixelFormat::rgb8) {
  Placement placement{
      source, {}, {0, 0, source.width, source.height}, {source.height, source.width}};
  const CanvasNeed need = jpeg_format.need(info, source, reduce, format);
  placement.format = format;
  placement.native = need.native;
  const Scratch spare(need.spare_bytes), arena_memory(need.arena_bytes),
      sink_memory(RowSink::memory_bytes(placement));
  Pixels pixels(std::size_t{source.width} * source.height * pixel_bytes(format));
  RowSink sink(placement, std::span<std::byte>(sink_memory).data(), pixels.data());
  Arena arena{std::span<std::byte>(arena_memory)};
  const std::atomic<bool> cancelled{false};
  const DecodeLimits limits;
  const auto kept = jpeg_format.keep();
  auto status =
      jpeg_format.decode({encoded,
                          info,
                          source,
                          {},
                          sink,
                          reinterpret_cast<std::uint8_t*>(std::span<std::byte>(spare).data()),
                          arena,
                          limits,
                          strict,
                          cancelled,
                          need.native,
                          reduce,
                          kept.get()});
  return {std::move(status), std::move(pixels)};
}

class Rectangles {
 public:
  explicit Rectangles(unsigned seed) : random_(seed) {}
  /// Often small, and often at an edge, where libjpeg's upsampling has special cases.
  PixelRect next(std::uint32_t width, std::uint32_t height) {
    const auto [x, w] = range(width);
    const auto [y, h] = range(height);
    return {x, y, w, h};
  }

 private:
  std::pair<std::uint32_t, std::uint32_t> range(std::uint32_t size) {
    const std::uint32_t most = random_() % 3 == 0 ? std::min(size, 5u) : size;
    const std::uint32_t length = 1 + static_cast<std::uint32_t>(random_() % most);
    const std::uint32_t room = size - length;
    switch (random_() % 4) {
      case 0: return {0, length};
      case 1: return {room, length};
      default: return {static_cast<std::uint32_t>(random_() % (room + 1)), length};
    }
  }
  std::mt19937 random_;
};

}  // namespace weir::codec::test
