#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

namespace weir::advice {

/// The time of a simulation, and its events in their order. Events of the same time stay in the
/// order in which they were scheduled.
class Agenda {
 public:
  using Time = std::int64_t;  ///< nanoseconds
  static Time nanoseconds(double seconds) noexcept {
    return static_cast<Time>(std::llround(seconds * 1e9));
  }

  Time now() const noexcept { return now_; }
  void schedule(std::uint32_t actor, Time in) { events_.emplace(now_ + in, ++order_, actor); }
  /// Goes on to the next event. Returns its actor, or nothing if there is no event.
  std::optional<std::uint32_t> next() {
    if (events_.empty()) return std::nullopt;
    const auto [at, order, actor] = events_.top();
    events_.pop();
    now_ = at;
    return actor;
  }

 private:
  using Event = std::tuple<Time, std::uint64_t, std::uint32_t>;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t order_ = 0;
  Time now_ = 0;
};

}  // namespace weir::advice
