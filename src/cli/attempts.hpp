#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "weir/source.hpp"

namespace weir::cli {

/// Counts the reads of each sample of a source. Any thread.
class Attempts {
 public:
  explicit Attempts(std::uint64_t size) : reads_(size) {}

  void note(std::uint64_t index) noexcept { reads_[index].fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t size() const noexcept { return reads_.size(); }
  std::uint64_t total() const noexcept;
  /// The number of samples that were read at least `times` times.
  std::uint64_t read_at_least(std::uint64_t times) const noexcept;

 private:
  std::vector<std::atomic<std::uint32_t>> reads_;
};

/// Returns `source` wrapped so that `attempts` counts each read.
AnySource watched(AnySource source, std::shared_ptr<Attempts> attempts);

}  // namespace weir::cli
