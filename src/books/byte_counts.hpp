#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

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

}  // namespace weir::books
