#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "base/mutex.hpp"
#include "weir/error.hpp"

namespace weir::engine {

/// The faults of a loader: the first ones in full, and the number of all. Thread-safe.
class FaultLog {
 public:
  static constexpr std::size_t kept = 1000;

  struct Faults {
    std::vector<Fault> first;
    std::array<std::uint64_t, fault_kind_count> kinds{};
    std::uint64_t count() const noexcept {
      return std::accumulate(kinds.begin(), kinds.end(), std::uint64_t{0});
    }
  };
  /// A fault of a plane is not counted here, because its row has none.
  void add(Fault fault) {
    Lock lock(mutex_);
    const auto kind = static_cast<std::size_t>(fault.kind);
    const bool of_row = fault.plane.empty();
    // First what may throw: then the caller counts it.
    if (faults_.first.size() < kept) faults_.first.push_back(std::move(fault));
    if (of_row) ++faults_.kinds[kind];
  }
  /// Counts a fault when there is no memory to store it.
  void count(FaultKind kind) noexcept {
    Lock lock(mutex_);
    ++faults_.kinds[static_cast<std::size_t>(kind)];
  }
  Faults read() const {
    Lock lock(mutex_);
    return faults_;
  }

 private:
  mutable Mutex mutex_;
  Faults faults_ WEIR_GUARDED_BY(mutex_);
};

}  // namespace weir::engine
