#include <benchmark/benchmark.h>

#include <cstdint>

#include "source/sampler.hpp"

namespace {

using weir::source::Sampler;

// 64 samples need twice the rounds of larger sets. 1,281,167 is ImageNet.
void shuffled_index(benchmark::State& state) {
  const Sampler sampler(static_cast<std::uint64_t>(state.range(0)), weir::Order::shuffle(), 1);
  std::uint64_t position = 0;
  while (state.KeepRunning()) {
    benchmark::DoNotOptimize(sampler.index(3, position));
    if (++position == sampler.positions()) position = 0;
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["order_bytes"] = sizeof(sampler);
}
BENCHMARK(shuffled_index)->Arg(64)->Arg(1000)->Arg(1'281'167)->Arg(1ll << 40);

void replacement(benchmark::State& state) {
  const Sampler sampler(1'281'167, weir::Order::shuffle(), 1);
  std::uint32_t attempt = 0;
  while (state.KeepRunning()) benchmark::DoNotOptimize(sampler.replacement(3, 5, ++attempt));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(replacement);

}  // namespace
