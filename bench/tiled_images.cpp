#include "tiled_images.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <span>

#include "codec/decoder.hpp"
#include "codec/jpeg_tiles.hpp"
#include "images.hpp"
#include "source/jpeg_encoder.hpp"
#include "support/decode_plan.hpp"

namespace weir::bench {
namespace {

/// Memory that is aligned as scratch memory is.
class Scratch {
 public:
  explicit Scratch(std::size_t bytes) : memory_(bytes + alignment), bytes_(bytes) {}
  std::span<std::byte> get() {
    void* start = memory_.data();
    auto space = memory_.size();
    return {static_cast<std::byte*>(std::align(alignment, bytes_, start, space)), bytes_};
  }

 private:
  static constexpr std::size_t alignment = 64;
  std::vector<std::byte> memory_;
  std::size_t bytes_;
};

std::vector<std::uint8_t> pixels_of(const std::vector<std::byte>& encoded, ImageSize size) {
  codec::Decoder decoder({.fit = {size, Fit::stretch}});
  const auto info = decoder.probe(encoded);
  if (!info) std::abort();
  const auto plan = codec::plan_row(decoder, *info, 0);
  Scratch scratch(plan.memory.scratch);
  std::vector<std::uint8_t> row(plan.out_bytes());
  const std::atomic<bool> never{false};
  if (!decoder.decode(encoded, plan, scratch.get(), never, row)) std::abort();
  return row;
}

struct Mosaic final : source::Rows {
  Mosaic(std::span<const MemorySample> samples, const MosaicShape& of) : shape(of) {
    for (const auto& sample : samples) parts.push_back(pixels_of(sample.bytes, of.part));
  }
  void paint(std::uint32_t y, std::span<std::uint8_t> row) const noexcept override {
    const std::size_t stride = std::size_t{shape.part.width} * 3;
    for (std::size_t x = 0; x < shape.across; ++x)
      std::copy_n(
          parts[y / shape.part.height * shape.across + x].data() + y % shape.part.height * stride,
          stride, row.data() + x * stride);
  }
  const MosaicShape shape;
  std::vector<std::vector<std::uint8_t>> parts;
};

}  // namespace

std::vector<std::byte> with_tiles(const std::vector<std::byte>& encoded, std::uint32_t tiles) {
  if (tiles == 0) return encoded;
  const auto info = codec::Decoder({}).probe(encoded);
  if (!info) std::abort();
  const auto plan = codec::plan_tiles(*info, encoded.size(), tiles);
  Scratch scratch(plan.work_bytes);
  std::vector<std::byte> out(plan.most_bytes);
  const std::atomic<bool> never{false};
  const auto written = codec::write_tiles(encoded, plan, scratch.get(), out, never);
  if (!written) std::abort();
  return {written->begin(), written->end()};
}

std::vector<MemorySample> with_tiles(std::vector<MemorySample> samples, std::uint32_t tiles) {
  for (auto& sample : samples) sample.bytes = with_tiles(sample.bytes, tiles);
  return samples;
}

std::vector<MemorySample> mosaics(std::size_t count, const MosaicShape& shape) {
  const std::size_t each = std::size_t{shape.across} * shape.down;
  const auto photographs = images(count * each);
  std::vector<MemorySample> made(count), parts(each);
  std::vector<std::byte> memory(source::most_jpeg_bytes(shape.size()));
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < each; ++k)
      parts[k] = photographs[(i * each + k) % photographs.size()];
    const auto jpeg =
        source::encode_jpeg(Mosaic(parts, shape), shape.size(), PixelFormat::rgb8, 90, memory);
    made[i] = {std::to_string(i), {jpeg.begin(), jpeg.end()}, 0};
  }
  return made;
}

}  // namespace weir::bench
