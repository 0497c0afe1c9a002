#pragma once

#include <cstdint>

#include "weir/weir.hpp"

namespace weir::test {

/// Bytes at the peak of a run with batches of 64 at 224 x 224, a requested queue of 64, and a
/// consumer that waits until nothing more can be prefetched.
struct Footprint {
  std::uint64_t budget = 0, peak = 0, slabs_at_peak = 0;
  std::uint32_t max_queue_size = 0;
};

inline Footprint footprint(const AnySource& source, std::uint64_t budget, std::uint64_t batches) {
  Options options;
  options.batch = 64;
  options.workers = 4;
  options.queue.max_queue_size = 64;
  options.memory.budget_bytes = budget;
  Loader loader(source, options);
  auto stream = loader.stream({.epochs = std::nullopt});
  for (std::uint64_t n = 0; n < batches; ++n) {
    const auto batch = stream.next();
    stream.settle();
  }
  const auto memory = loader.snapshot().memory;
  Footprint seen{budget, memory.peak, 0, loader.plan().max_queue_size};
  for (const auto account : {Account::filling, Account::ready, Account::leased, Account::idle}) {
    seen.slabs_at_peak += memory.accounts_at_peak[static_cast<std::size_t>(account)];
  }
  return seen;
}

}  // namespace weir::test
