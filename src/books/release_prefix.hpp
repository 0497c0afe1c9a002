#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace weir::books {

/// The batches that the consumer has released: all before `next`, and those in `beyond` (sorted).
class ReleasePrefix {
 public:
  ReleasePrefix() = default;
  /// Besides the given ones, at most `leases` batches can be released out of order.
  ReleasePrefix(std::uint64_t next, std::vector<std::uint64_t> beyond, std::size_t leases)
      : next_(next), beyond_(std::move(beyond)) {
    std::sort(beyond_.begin(), beyond_.end());
    beyond_.erase(std::unique(beyond_.begin(), beyond_.end()), beyond_.end());
    beyond_.erase(beyond_.begin(), std::lower_bound(beyond_.begin(), beyond_.end(), next_));
    beyond_.reserve(beyond_.size() + leases + 1);
    absorb();
  }
  void add(std::uint64_t sequence) noexcept {
    beyond_.insert(std::lower_bound(beyond_.begin(), beyond_.end(), sequence), sequence);
    absorb();
  }
  bool contains(std::uint64_t sequence) const noexcept {
    return sequence < next_ || std::binary_search(beyond_.begin(), beyond_.end(), sequence);
  }
  std::uint64_t next() const noexcept { return next_; }
  const std::vector<std::uint64_t>& beyond() const noexcept { return beyond_; }

 private:
  void absorb() noexcept {
    std::size_t n = 0;
    while (n < beyond_.size() && beyond_[n] == next_) ++n, ++next_;
    beyond_.erase(beyond_.begin(), beyond_.begin() + static_cast<std::ptrdiff_t>(n));
  }

  std::uint64_t next_ = 0;
  std::vector<std::uint64_t> beyond_;
};

}  // namespace weir::books
