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

}  // namespace
