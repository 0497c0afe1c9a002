#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "bare_decoder.hpp"
#include "images.hpp"
#include "tiled_images.hpp"

namespace {

using namespace weir;
using namespace weir::bench;

/// Decodes the images in turns, each time with another draw.
void decode(benchmark::State& state, const std::vector<MemorySample>& samples,
            const codec::FitSpec& fit) {
  BareDecoder decoder({.fit = fit});
  std::vector<std::uint8_t> row(image_bytes(fit.out, PixelFormat::rgb8));
  std::uint64_t scratch_peak = 0, encoded = 0, fit_ns = 0, draw = 0;
  std::size_t i = 0;
  while (state.KeepRunning()) {
    const auto& bytes = samples[i].bytes;
    if (++i == samples.size()) i = 0;
    const auto plan = decoder.plan(bytes, ++draw);
    fit_ns += decoder(bytes, plan, row).fit_ns;
    scratch_peak = std::max(scratch_peak, plan.memory.scratch);
    encoded += bytes.size();
  }
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

void decode_tiled(benchmark::State& state) {
  const bool patches = state.range(0) == static_cast<int>(Fit::patch);
  auto samples = patches ? mosaics(4, two_megapixels) : images(64);
  const auto before = encoded_bytes(samples);
  samples = with_tiles(std::move(samples), static_cast<std::uint32_t>(state.range(1)));
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
