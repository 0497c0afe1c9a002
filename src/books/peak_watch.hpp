#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/mutex.hpp"
#include "books/byte_counts.hpp"
#include "weir/memory.hpp"

namespace weir::books {

/// The largest use of a Ledger or buffer::Counts (`Owner`) since construction, reset() or take().
/// Independent of reset_peak() and of other watches. Thread-safe.
template <class Owner>
class PeakWatch {
 public:
  explicit PeakWatch(std::shared_ptr<Owner> owner) : owner_(std::move(owner)) {
    Lock lock(owner_->mutex());
    owner_->bytes().attach(peaks_);
  }
  ~PeakWatch() {
    Lock lock(owner_->mutex());
    owner_->bytes().detach(peaks_);
  }
  PeakWatch(const PeakWatch&) = delete;
  PeakWatch& operator=(const PeakWatch&) = delete;

  MemoryUse read() const { return look(false); }
  /// As read(), and sets the peaks to the current values under the same lock.
  MemoryUse take() { return look(true); }
  void reset() noexcept {
    Lock lock(owner_->mutex());
    owner_->bytes().begin(peaks_);
  }

 private:
  MemoryUse look(bool begin) const {
    typename Owner::Parts live{};
    Peaks<typename Owner::Parts> seen;
    std::uint64_t sum = 0;
    {
      Lock lock(owner_->mutex());
      const auto& bytes = owner_->bytes();
      sum = bytes.sum();
      live = bytes.parts();
      seen = peaks_;
      if (begin) bytes.begin(peaks_);
    }
    MemoryUse use{sum, seen.sum, {}};
    use.accounts.reserve(live.size());
    for (std::size_t i = 0; i < live.size(); ++i)
      use.accounts.push_back({owner_->name(i), live[i], seen.own[i], seen.at_sum[i]});
    return use;
  }

  const std::shared_ptr<Owner> owner_;
  mutable Peaks<typename Owner::Parts> peaks_ WEIR_GUARDED_BY(owner_->mutex());
};

}  // namespace weir::books
