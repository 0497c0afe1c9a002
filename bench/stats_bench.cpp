#include <benchmark/benchmark.h>

#include <array>
#include <cstddef>

#include "engine/thread_stats.hpp"

namespace {

using namespace weir;
using engine::ThreadStats;

void note(benchmark::State& state, ThreadStats& thread_stats) {
  while (state.KeepRunning()) {
    const auto begun = Clock::now();
    thread_stats.add(Stage::read, Clock::now() - begun, 100'000);
  }
}

// Two readings of the clock and the recording of an interval: count, times, bytes, a bin.
void reading(benchmark::State& state) {
  static std::array<ThreadStats, 2> lanes{ThreadStats(1), ThreadStats(1)};
  note(state, lanes[static_cast<std::size_t>(state.thread_index())]);
}
BENCHMARK(reading)->Threads(1)->Threads(2)->UseRealTime();

// For comparison: all workers share one lane.
void reading_in_one_lane(benchmark::State& state) {
  static ThreadStats thread_stats(1);
  note(state, thread_stats);
}
BENCHMARK(reading_in_one_lane)->Threads(2)->UseRealTime();

void clock_alone(benchmark::State& state) {
  while (state.KeepRunning()) benchmark::DoNotOptimize(Clock::now());
}
BENCHMARK(clock_alone);

}  // namespace
