#include <benchmark/benchmark.h>

#include <array>
#include <cstddef>

#include "engine/lane.hpp"

namespace {

using namespace weir;
using engine::Lane;

void note(benchmark::State& state, Lane& lane) {
  while (state.KeepRunning()) {
    const auto begun = Clock::now();
    lane.add(Stage::read, Clock::now() - begun, 100'000);
  }
}

// Two readings of the clock and the recording of an interval: count, times, bytes, a bin.
void reading(benchmark::State& state) {
  static std::array<Lane, 2> lanes{Lane(1), Lane(1)};
  note(state, lanes[static_cast<std::size_t>(state.thread_index())]);
}
BENCHMARK(reading)->Threads(1)->Threads(2)->UseRealTime();

// For comparison: all workers share one lane.
void reading_in_one_lane(benchmark::State& state) {
  static Lane lane(1);
  note(state, lane);
}
BENCHMARK(reading_in_one_lane)->Threads(2)->UseRealTime();

void clock_alone(benchmark::State& state) {
  while (state.KeepRunning()) benchmark::DoNotOptimize(Clock::now());
}
BENCHMARK(clock_alone);

}  // namespace
