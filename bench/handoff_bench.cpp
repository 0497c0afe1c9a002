#include <benchmark/benchmark.h>

#include <thread>

#include "engine/ready_queue.hpp"

namespace {

using weir::engine::ReadyQueue;

void push_and_pop(benchmark::State& state) {
  ReadyQueue queue(4);
  while (state.KeepRunning()) {
    queue.push(1);
    benchmark::DoNotOptimize(queue.pop({}));
  }
}
BENCHMARK(push_and_pop);

// A round trip between two threads that sleep while they wait: two wake-ups in each iteration.
void ping_pong(benchmark::State& state) {
  ReadyQueue there(4), back(4);
  std::jthread echo([&] {
    while (const auto id = there.pop({})) back.push(*id);
  });
  while (state.KeepRunning()) {
    there.push(1);
    benchmark::DoNotOptimize(back.pop({}));
  }
  there.close();
}
BENCHMARK(ping_pong)->UseRealTime();

}  // namespace
