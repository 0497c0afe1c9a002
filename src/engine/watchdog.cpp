#include "engine/watchdog.hpp"

#include <algorithm>

namespace weir::engine {

Clock::duration Watchdog::interval() const noexcept {
  using namespace std::chrono_literals;
  return std::clamp<Clock::duration>(after_ / 4, 1ms, 1s);
}

void Watchdog::look(const Known& known, Clock::time_point now) {
  const auto queue = shared_.loader.book->queue();
  if (queue.oldest != oldest_) {
    oldest_ = queue.oldest;
    oldest_since_ = now;
  }
  // Nothing is asked for.
  if (known.all_opened && queue.filling + queue.ready == 0) oldest_since_ = now;
  const auto taker = shared_.loader.stats.consumer();
  auto consumer = Standstill::Consumer::away;
  // Before the first next() it is unknown whether there is a consumer.
  auto since = taker.handed.value_or(now);
  if (known.stops) {
    consumer = Standstill::Consumer::stops;
    since = *known.stops;
  } else if (known.waits_for_lease) {
    consumer = Standstill::Consumer::waits_for_lease;
    since = *known.waits_for_lease;
  } else if (!known.has_request) {
    return;
  } else if (taker.waits_since) {
    consumer = Standstill::Consumer::waits_for_batch;
    since = std::max(*taker.waits_since, oldest_since_);
  } else if (queue.ready == 0 && queue.leased == 0) {
    return;
  }
  if (now - since < after_ || reported_ == since) return;
  reported_ = since;
  const auto& loader = shared_.loader;
  Standstill found{.consumer = consumer,
                   .since = since,
                   .now = now,
                   .queue = queue,
                   .max_leases = loader.plan.max_leases,
                   .parked = shared_.work_queue.parked(),
                   .wants_slab = false,
                   .memory = loader.book->ledger()->snapshot()};
  found.wants_slab = found.parked.empty() && loader.book->someone_waits();
  {
    Lock lock(mutex_);
    for (const auto& activity : activities_)
      if (const auto at = activity.get(); at.busy) found.busy.push_back(at);
  }
  std::ranges::sort(found.busy, {}, &Activity::since);
  const auto text = describe(found, loader.source);
  shared_.loader.stalls.add(text);
  if (const auto& tell = loader.options.watchdog.on_stall) tell(text);
}

}  // namespace weir::engine
