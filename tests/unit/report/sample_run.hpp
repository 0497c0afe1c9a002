#pragma once

#include <cstdint>
#include <vector>

#include "base/time_bins.hpp"
#include "report/figures.hpp"

namespace weir::test {

/// A run of the experiment: ten batches of 128 consumed, ten more ready.
inline report::Run sample_run() {
  report::Run run;
  auto& figures = run.figures;
  Options options;
  options.batch = 128;
  options.workers = 2;
  options.queue.max_queue_size = 10;
  options.memory.budget_bytes = 1ull << 30;
  figures.plan = resolve(options, 4096);
  auto& memory = figures.memory;
  memory.budget = 1ull << 30;
  memory.accounts = {4096, 0, 0, 0, 10 * figures.plan.slab_bytes, 0, figures.plan.slab_bytes, 0};
  memory.accounts_at_peak = {4096,
                             20000,
                             100000,
                             2 * figures.plan.slab_bytes,
                             8 * figures.plan.slab_bytes,
                             figures.plan.slab_bytes,
                             0,
                             0};
  for (const auto bytes : memory.accounts) memory.live += bytes;
  for (const auto bytes : memory.accounts_at_peak) memory.peak += bytes;
  figures.samples = {.drawn = 2560, .ready = 1280, .consumed = 1280};
  figures.queue.occupancy = {0.25, 0.5, 0.25};
  figures.queue.consumer_wait_s = 0.5;
  figures.queue.producer_wait_s = 1.25;
  figures.queue.data_readiness = 0.9;
  figures.throughput = {.seconds = 2, .samples_per_s = 640, .first_batch_s = 0.04};
  std::vector<std::uint64_t> times(time_bins::counters);
  times[time_bins::bin_of(900e-6)] = 2000;
  times[time_bins::bin_of(2e-3)] = 400;
  times[time_bins::bin_of(4e-3)] = 160;
  figures.stages = {{.stage = Stage::read, .count = 2560, .busy_s = 0.256, .bytes = 10 << 20},
                    {.stage = Stage::decode, .count = 2560, .busy_s = 2.56, .times = times},
                    {.stage = Stage::wait, .count = 0, .busy_s = 0}};
  figures.postings = 77;
  run.process_before = {10 << 20, 8 << 20};
  run.process_peak = {250 << 20, 240 << 20};
  return run;
}

inline Fault sample_fault(std::uint64_t index) {
  return {.index = index,
          .epoch = 1,
          .name = "dir/" + std::to_string(index) + ".jpg",
          .kind = FaultKind::truncated,
          .stage = Stage::decode,
          .reason = "no EOI",
          .offset = 812};
}

}  // namespace weir::test
