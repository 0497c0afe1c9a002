#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>

#include "weir/ledger.hpp"

namespace weir::bench {

/// The ledger of every benchmarked loader.
inline const std::shared_ptr<MemoryLedger>& ledger() {
  static const auto shared = std::make_shared<MemoryLedger>(std::nullopt);
  return shared;
}

/// Reports the books to Google Benchmark: max_bytes_used is the exact peak.
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
  void Stop(Result* result) override { Stop(*result); }  // benchmark 1.7 still calls it

 private:
  MemoryLedger& ledger_;
  std::uint64_t postings_ = 0;
};

}  // namespace weir::bench
