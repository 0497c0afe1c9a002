#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "codec/decoder.hpp"
#include "images.hpp"

namespace {

using namespace weir;
using namespace weir::bench;

void decode(benchmark::State& state) {
  const auto samples = images(64);
  const ImageSize out{224, 224};
  codec::Decoder decoder({.fit = {out, static_cast<Fit>(state.range(0)), 256}});
  std::vector<std::uint8_t> row(image_bytes(out, PixelFormat::rgb8));
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
BENCHMARK(decode)->ArgName("fit")->DenseRange(0, 3)->Unit(benchmark::kMicrosecond);

// The images of `pipeline`, decoded without queue, order and books.
BENCHMARK(decode)
    ->Name("bare_loop")
    ->Arg(0)
    ->ThreadRange(1, 2)
    ->UseRealTime()
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
