#include "tiled_images.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <span>

#include "bare_decoder.hpp"
#include "codec/jpeg_tiles.hpp"
#include "images.hpp"
#include "source/jpeg_encoder.hpp"

namespace weir::bench {
namespace {

std::vector<std::uint8_t> pixels_of(const std::vector<std::byte>& encoded, ImageSize size) {
  BareDecoder decode({.fit = {size, Fit::stretch}});
  return decode(encoded, decode.plan(encoded, 0));
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
  const auto plan = codec::plan_tiles(BareDecoder({}).probe(encoded), encoded.size(), tiles);
  Scratch scratch;
  std::vector<std::byte> out(plan.most_bytes);
  const std::atomic<bool> never{false};
  const auto written = codec::write_tiles(encoded, plan, scratch.get(plan.work_bytes), out, never);
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
