#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <memory_resource>
#include <span>
#include <vector>

#include "codec/decoder.hpp"
#include "codec/jpeg_tiles.hpp"
#include "images.hpp"
#include "source/jpeg_encoder.hpp"

namespace {

using namespace weir;
using namespace weir::bench;

/// Decodes the images in turns, each time with another draw.
void decode(benchmark::State& state, const std::vector<MemorySample>& samples,
            const codec::FitSpec& fit) {
  codec::Decoder decoder({.fit = fit});
  std::vector<std::uint8_t> row(image_bytes(fit.out, PixelFormat::rgb8));
  std::pmr::vector<std::byte> memory;
  std::span<std::byte> scratch;
  const std::atomic<bool> cancelled{false};
  std::uint64_t scratch_peak = 0, encoded = 0, fit_ns = 0, failed = 0, draw = 0;
  std::size_t i = 0;
  while (state.KeepRunning()) {
    const auto& bytes = samples[i].bytes;
    if (++i == samples.size()) i = 0;
    const auto info = decoder.probe(bytes);
    if (!info) {
      ++failed;
      continue;
    }
    const auto plan = decoder.plan(*info, ++draw);
    const auto wanted = plan.memory.scratch;
    if (wanted > scratch.size()) {
      memory.resize(wanted + 64);
      void* start = memory.data();
      auto space = memory.size();
      scratch = {static_cast<std::byte*>(std::align(64, wanted, start, space)), wanted};
    }
    const auto decoded = decoder.decode(bytes, plan, scratch, cancelled, row);
    failed += !decoded;
    if (decoded) fit_ns += decoded->fit_ns;
    scratch_peak = std::max(scratch_peak, wanted);
    encoded += bytes.size();
  }
  if (failed != 0) state.SkipWithError("an image did not decode");
  state.SetItemsProcessed(state.iterations());
  state.SetBytesProcessed(static_cast<std::int64_t>(encoded));
  state.counters["scratch_bytes"] = static_cast<double>(scratch_peak);
  state.counters["fit_us"] =
      static_cast<double>(fit_ns) * 1e-3 / static_cast<double>(state.iterations());
}

void decode(benchmark::State& state) {
  decode(state, images(64), {{224, 224}, static_cast<Fit>(state.range(0)), 256});
}
BENCHMARK(decode)->ArgName("fit")->DenseRange(0, 3)->Unit(benchmark::kMicrosecond);

// The images of `pipeline`, decoded without queue, order and books.
BENCHMARK(decode)
    ->Name("bare_loop")
    ->Arg(0)
    ->ThreadRange(1, 2)
    ->UseRealTime()
    ->Unit(benchmark::kMicrosecond);

/// As `weir pack --tiles` writes it. As it is if `tiles` is 0.
std::vector<std::byte> with_tiles(const std::vector<std::byte>& encoded, std::uint32_t tiles) {
  if (tiles == 0) return encoded;
  const auto info = codec::Decoder({}).probe(encoded);
  if (!info) std::abort();
  const auto plan = codec::plan_tiles(*info, encoded.size(), tiles);
  std::vector<std::byte> memory(plan.work_bytes + 64), out(plan.most_bytes);
  void* start = memory.data();
  auto space = memory.size();
  auto* const scratch = static_cast<std::byte*>(std::align(64, plan.work_bytes, start, space));
  const std::atomic<bool> never{false};
  const auto written = codec::write_tiles(encoded, plan, {scratch, plan.work_bytes}, out, never);
  if (!written) std::abort();
  return {written->begin(), written->end()};
}

void write_tiles(benchmark::State& state) {
  const auto samples = images(64);
  std::size_t i = 0;
  while (state.KeepRunning()) {
    benchmark::DoNotOptimize(with_tiles(samples[i].bytes, 16));
    if (++i == samples.size()) i = 0;
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(write_tiles)->Unit(benchmark::kMicrosecond);

std::vector<std::uint8_t> pixels_of(const std::vector<std::byte>& encoded, ImageSize size) {
  codec::Decoder decoder({.fit = {size, Fit::stretch}});
  const auto info = decoder.probe(encoded);
  if (!info) std::abort();
  const auto plan = decoder.plan(*info, 0);
  std::vector<std::byte> memory(plan.memory.scratch + 64);
  void* start = memory.data();
  auto space = memory.size();
  auto* const scratch = static_cast<std::byte*>(std::align(64, plan.memory.scratch, start, space));
  std::vector<std::uint8_t> row(plan.out_bytes());
  const std::atomic<bool> never{false};
  if (!decoder.decode(encoded, plan, {scratch, plan.memory.scratch}, never, row)) std::abort();
  return row;
}

/// 2 megapixels of 24 photographs.
struct Mosaic final : source::Rows {
  static constexpr std::uint32_t across = 6, down = 4;
  static constexpr ImageSize part{339, 340}, all{down * part.height, across*part.width};

  explicit Mosaic(std::span<const MemorySample> samples) {
    for (const auto& sample : samples) parts.push_back(pixels_of(sample.bytes, part));
  }
  void paint(std::uint32_t y, std::span<std::uint8_t> row) const noexcept override {
    constexpr std::size_t stride = part.width * 3;
    for (std::size_t x = 0; x < across; ++x)
      std::copy_n(parts[y / part.height * across + x].data() + y % part.height * stride, stride,
                  row.data() + x * stride);
  }
  std::vector<std::vector<std::uint8_t>> parts;
};

std::vector<MemorySample> mosaics(std::size_t count) {
  constexpr std::size_t each = Mosaic::across * Mosaic::down;
  const auto photographs = images(count * each);
  std::vector<MemorySample> made(count);
  std::vector<std::byte> memory(source::most_jpeg_bytes(Mosaic::all));
  for (std::size_t i = 0; i < count; ++i) {
    const Mosaic mosaic{std::span(photographs).subspan(i * each, each)};
    const auto jpeg = source::encode_jpeg(mosaic, Mosaic::all, PixelFormat::rgb8, 90, memory);
    made[i].bytes.assign(jpeg.begin(), jpeg.end());
  }
  return made;
}

void decode_tiled(benchmark::State& state) {
  const bool patches = state.range(0) == static_cast<int>(Fit::patch);
  auto samples = patches ? mosaics(4) : images(64);
  const auto before = encoded_bytes(samples);
  for (auto& sample : samples)
    sample.bytes = with_tiles(sample.bytes, static_cast<std::uint32_t>(state.range(1)));
  state.counters["bytes"] =
      static_cast<double>(encoded_bytes(samples)) / static_cast<double>(before);
  const std::uint32_t side = patches ? 192 : 224;
  decode(state, samples, {{side, side}, static_cast<Fit>(state.range(0)), 256});
}
BENCHMARK(decode_tiled)
    ->ArgNames({"fit", "tiles"})
    ->ArgsProduct({{0, 1, 4}, {0, 8, 16}})
    ->Unit(benchmark::kMicrosecond);

void probe(benchmark::State& state) {
  const auto samples = images(50);
  const codec::Decoder decoder({});
  std::size_t i = 0;
  while (state.KeepRunning()) {
    benchmark::DoNotOptimize(decoder.probe(samples[i].bytes));
    if (++i == samples.size()) i = 0;
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(probe);

}  // namespace
