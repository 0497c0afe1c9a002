// What several benchmarks measure with.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "base/clock.hpp"

namespace weir::bench {

inline double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

/// What loops have done.
struct Done {
  std::uint64_t count = 0;
  double wall_s = 0, cpu_s = 0;  ///< of all threads
  double rate() const { return static_cast<double>(count) / wall_s; }
};

/// Calls what `make_work` gives to each thread with 0, 1, 2 …, until so much time has passed.
template <class MakeWork>
Done in_threads(std::uint32_t loops, double wall_s, const MakeWork& make_work) {
  std::atomic<std::uint64_t> next{0};
  const auto start = Clock::now();
  const double cpu_before = process_cpu_seconds();
  std::vector<std::thread> running;
  for (std::uint32_t t = 0; t < loops; ++t)
    running.emplace_back([&] {
      auto work = make_work();
      while (seconds(Clock::now() - start) < wall_s) work(next.fetch_add(1));
    });
  for (auto& thread : running) thread.join();
  return {next, seconds(Clock::now() - start), process_cpu_seconds() - cpu_before};
}

}  // namespace weir::bench
