#pragma once

#include <cstdint>
#include <utility>

namespace weir::conductor {

/// Reads and the time that they took. Cached samples are reads that took no time.
struct Reads {
  std::uint32_t rows = 0;
  std::int64_t took_ns = 0;
};

/// Whether reads take so little time that workers read what they decode, although there are readers: the
/// hand-over of a row from a reader to a worker takes 15 us of CPU time. Decided by the mean of `many` reads.
/// Reads are slow as soon as they have taken the time of `many` quick ones.
class ReadPace {
 public:
  static constexpr std::int64_t quick_ns = 40'000;  ///< at most, on average
  static constexpr std::uint32_t many = 512;        ///< reads

  bool quick() const noexcept { return quick_; }
  /// Whether quick() changes.
  bool add(Reads more) noexcept {
    seen_.rows += more.rows;
    seen_.took_ns += more.took_ns;
    const bool slow = seen_.took_ns > many * quick_ns;
    if (!slow && seen_.rows < many) return false;
    seen_ = {};
    const bool before = std::exchange(quick_, !slow);
    return quick_ != before;
  }

 private:
  Reads seen_{};
  bool quick_ = false;
};

}  // namespace weir::conductor
