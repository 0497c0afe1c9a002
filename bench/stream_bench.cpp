#include <benchmark/benchmark.h>

#include "base/clock.hpp"
#include "weir/weir.hpp"

namespace {

using namespace weir;

// The time of the consumer's thread for a ready batch, by depth of a full queue.
void next_and_release(benchmark::State& state) {
  Options options{.shape = {8, 8}, .batch = 4, .workers = 1};
  options.queue.max_queue_size = static_cast<std::uint32_t>(state.range(0));
  Loader loader(synthetic(16, {16, 16}), options);
  auto stream = loader.stream({.epochs = std::nullopt});
  while (state.KeepRunning()) {
    stream.settle();
    const auto begun = Clock::now();
    stream.next().reset();
    state.SetIterationTime(seconds(Clock::now() - begun));
  }
}
BENCHMARK(next_and_release)->Arg(1)->Arg(1000)->UseManualTime()->Unit(benchmark::kNanosecond);

// Rows of a decoded cache, by workers and batch: what a row of 3 KiB costs beside its copy.
void copied_rows(benchmark::State& state) {
  Options options{.shape = {32, 32},
                  .fit = Fit::stretch,
                  .batch = static_cast<std::uint32_t>(state.range(1)),
                  .workers = static_cast<std::uint32_t>(state.range(0))};
  options.order = Order::shuffle();
  options.cache = {.keep = Cache::decoded, .max_bytes = 16u << 20};
  Loader loader(synthetic(3000, {32, 32}), options);
  auto stream = loader.stream({.epochs = std::nullopt});
  for (std::uint64_t rows = 0; rows < 2 * loader.size();) rows += stream.next()->size();
  for (auto _ : state) stream.next().reset();
  state.SetItemsProcessed(state.iterations() * state.range(1));
}
BENCHMARK(copied_rows)->ArgsProduct({{1, 2, 4, 8, 15}, {128, 512, 2048}})->UseRealTime();

}  // namespace
