#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "source/sampler.hpp"
#include "support/replacement.hpp"

namespace {

using weir::source::Position;
using weir::source::Sampler;

// 64 samples need twice the rounds of larger sets. 1,281,167 is ImageNet.
void shuffled_index(benchmark::State& state) {
  const Sampler sampler(static_cast<std::uint64_t>(state.range(0)), weir::Order::shuffle(), 1);
  std::uint64_t position = 0;
  while (state.KeepRunning()) {
    benchmark::DoNotOptimize(sampler.index(3, Position(position)));
    if (++position == sampler.positions()) position = 0;
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["order_bytes"] = sizeof(sampler);
}
BENCHMARK(shuffled_index)->Arg(64)->Arg(1000)->Arg(1'281'167)->Arg(1ll << 40);

// A draw with a table of 1,281,167 weights waits for memory: 20 MB fit in no cache but the last.
void drawn_index(benchmark::State& state, const weir::Order& order, std::uint64_t samples) {
  const Sampler sampler(samples, order, 1);
  std::uint64_t position = 0;
  while (state.KeepRunning()) benchmark::DoNotOptimize(sampler.index(3, Position(position++)));
  state.SetItemsProcessed(state.iterations());
}
std::vector<double> falling_weights(std::size_t count) {
  std::vector<double> weights(count);
  for (std::size_t i = 0; i < count; ++i) weights[i] = 1 / static_cast<double>(1 + i);
  return weights;
}
BENCHMARK_CAPTURE(drawn_index, with_replacement, weir::Order::with_replacement(), 1'281'167);
BENCHMARK_CAPTURE(drawn_index, weighted_1000,
                  weir::Order::weighted(falling_weights(1000), 1ull << 60), 1000);
BENCHMARK_CAPTURE(drawn_index, weighted_1281167,
                  weir::Order::weighted(falling_weights(1'281'167), 1ull << 60), 1'281'167);
BENCHMARK_CAPTURE(drawn_index, every, weir::Order::every(8), 1ull << 60);
BENCHMARK_CAPTURE(drawn_index, own,
                  weir::Order::own("random", 1ull << 60,
                                   [](auto, auto, auto& random) { return random.below(1000); }),
                  1000);

void alias_table(benchmark::State& state) {
  const auto weights = falling_weights(1'281'167);
  while (state.KeepRunning()) benchmark::DoNotOptimize(weir::source::AliasTable(weights));
  state.SetItemsProcessed(state.iterations() * 1'281'167);
}
BENCHMARK(alias_table)->Unit(benchmark::kMillisecond);

void replacement(benchmark::State& state) {
  const Sampler sampler(1'281'167, weir::Order::shuffle(), 1);
  std::uint32_t attempt = 0;
  while (state.KeepRunning())
    benchmark::DoNotOptimize(weir::source::replacement(sampler, 3, Position(5), ++attempt));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(replacement);

}  // namespace
