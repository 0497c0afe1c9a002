#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>

#include "weir/ledger.hpp"

namespace weir::bench {

/// The ledger that every benched loader is charged to.
inline const std::shared_ptr<MemoryLedger>& ledger() {
  static const auto shared = std::make_shared<MemoryLedger>(UINT64_MAX);
  return shared;
}

/// Lets Google Benchmark report what was on the books: max_bytes_used is the peak, exact.
class LedgerMemoryManager final : public benchmark::MemoryManager {
 public:
  explicit LedgerMemoryManager(MemoryLedger& ledger) : ledger_(ledger) {}
  void Start() override {
    ledger_.reset_peak();
    postings_ = ledger_.postings();
  }
  void Stop(Result& result) override {
    const auto now = ledger_.snapshot();
    result.num_allocs = static_cast<std::int64_t>(ledger_.postings() - postings_);
    result.max_bytes_used = static_cast<std::int64_t>(now.peak);
    result.net_heap_growth = static_cast<std::int64_t>(now.live);
  }
  void Stop(Result* result) override { Stop(*result); }  // benchmark 1.7 still asks for it

 private:
  MemoryLedger& ledger_;
  std::uint64_t postings_ = 0;
};

}  // namespace weir::bench
