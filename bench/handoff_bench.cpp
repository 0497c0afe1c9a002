#include <benchmark/benchmark.h>

#include <thread>

#include "engine/ready_queue.hpp"

namespace {

using weir::buffer::Slab;
using weir::engine::ReadyQueue;

void push_and_pop(benchmark::State& state) {
  ReadyQueue queue;
  Slab slab;
  while (state.KeepRunning()) {
    queue.push(slab);
    benchmark::DoNotOptimize(queue.pop({}));
  }
}
BENCHMARK(push_and_pop);

// A round trip between two threads that sleep while they wait: two wake-ups in each iteration.
void ping_pong(benchmark::State& state) {
  ReadyQueue there, back;
  Slab slab;
  std::jthread echo([&] {
    while (auto* got = there.pop({})) back.push(*got);
  });
  while (state.KeepRunning()) {
    there.push(slab);
    benchmark::DoNotOptimize(back.pop({}));
  }
  there.close();
}
BENCHMARK(ping_pong)->UseRealTime();

}  // namespace
