#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/checked.hpp"
#include "base/mutex.hpp"
#include "weir/ledger.hpp"
#include "weir/memory.hpp"

namespace weir::books {

/// The largest number of bytes since begin().
template <class Parts>
struct Peaks {
  std::uint64_t sum = 0;  ///< largest sum of all parts
  Parts at_sum{};         ///< bytes of each part at that moment
  Parts own{};            ///< largest value of each part
  Peaks* next = nullptr;  ///< next in ByteCounts::watches_
};

/// Bytes by part, their sum, and the watched peaks. Sum and parts are updated separately, so the
/// law "sum" is a real check. Guarded by the owner's mutex.
template <class Parts>
class ByteCounts {
 public:
  ByteCounts() = default;
  ByteCounts(const ByteCounts&) = delete;
  ByteCounts& operator=(const ByteCounts&) = delete;

  void add(std::size_t part, std::uint64_t bytes) noexcept {
    parts_[part] += bytes;
    sum_ += bytes;
    look(part);
  }
  void remove(std::size_t part, std::uint64_t bytes) noexcept {
    parts_[part] -= bytes;
    sum_ -= bytes;
  }
  void move(std::size_t from, std::size_t to, std::uint64_t bytes) noexcept {
    parts_[from] -= bytes;
    parts_[to] += bytes;
    look(to);
  }
  std::uint64_t sum() const noexcept { return sum_; }
  const Parts& parts() const noexcept { return parts_; }

  /// Sets the peaks to the current values.
  void begin(Peaks<Parts>& peaks) const noexcept {
    peaks.sum = sum_;
    peaks.at_sum = peaks.own = parts_;
  }
  /// Starts to update `peaks`. Its address must not change until detach().
  void attach(Peaks<Parts>& peaks) {
    begin(peaks);
    peaks.next = watches_;
    watches_ = &peaks;
  }
  void detach(const Peaks<Parts>& peaks) noexcept {
    auto** link = &watches_;
    while (*link != &peaks) link = &(*link)->next;
    *link = peaks.next;
  }

  /// Adds one part with 0 bytes. Everything that may throw is done first. Only if Parts can grow.
  void add_part() {
    parts_.reserve(parts_.size() + 1);
    for (auto* peaks = watches_; peaks; peaks = peaks->next) {
      peaks->at_sum.reserve(parts_.size() + 1);
      peaks->own.reserve(parts_.size() + 1);
    }
    parts_.push_back(0);
    for (auto* peaks = watches_; peaks; peaks = peaks->next) {
      peaks->at_sum.push_back(0);
      peaks->own.push_back(0);
    }
  }

 private:
  void look(std::size_t changed) noexcept {
    for (auto* peaks = watches_; peaks; peaks = peaks->next) {
      peaks->own[changed] = std::max(peaks->own[changed], parts_[changed]);
      if (sum_ <= peaks->sum) continue;
      peaks->sum = sum_;
      peaks->at_sum = parts_;
    }
  }

  std::uint64_t sum_ = 0;
  Parts parts_{};
  Peaks<Parts>* watches_ = nullptr;  ///< intrusive list
};

/// The accounts of a share or of a ledger, and their peak since reset_peak().
class AccountCounts : public ByteCounts<AccountBytes> {
 public:
  AccountCounts() { attach(peak_); }

  std::uint64_t operator[](Account account) const noexcept {
    return parts()[static_cast<std::size_t>(account)];
  }
  void reset_peak() noexcept { begin(peak_); }
  MemorySnapshot snapshot(std::uint64_t budget) const noexcept {
    return {sum(), peak_.sum, limit_of(budget), parts(), peak_.at_sum};
  }

 private:
  Peaks<AccountBytes> peak_;
};

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
