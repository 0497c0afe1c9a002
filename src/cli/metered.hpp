#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "weir/source.hpp"

namespace weir::cli {

/// CPU time of a source's reads. Any thread.
class ReadMeter {
 public:
  void add(std::int64_t cpu_ns) noexcept {
    reads_.fetch_add(1, std::memory_order_relaxed);
    cpu_ns_.fetch_add(cpu_ns, std::memory_order_relaxed);
  }
  /// Of one read, mean; 0 where there was none.
  double mean_s() const noexcept;

 private:
  std::atomic<std::uint64_t> reads_{0};
  std::atomic<std::int64_t> cpu_ns_{0};
};

/// `source`, the CPU time of each of its reads noted in `meter`: what of a read takes a core, as
/// copying or making a picture does, and what of it waits.
AnySource metered(AnySource source, std::shared_ptr<ReadMeter> meter);

}  // namespace weir::cli
