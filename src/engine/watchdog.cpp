#include "engine/watchdog.hpp"

#include <algorithm>

#include "base/sanitize.hpp"

namespace weir::engine {

Watchdog::Watchdog(Shared& shared, std::uint32_t threads) : shared_(shared), posts_(threads) {}

Clock::duration Watchdog::interval() const noexcept {
  using namespace std::chrono_literals;
  return std::clamp<Clock::duration>(shared_.plan.stall_after / 4, 1ms, 1s);
}

void Watchdog::look(const Known& known, Clock::time_point now) {
  const auto queue = shared_.core.book->queue();
  if (queue.oldest != oldest_) {
    oldest_ = queue.oldest;
    oldest_since_ = now;
  }
  const auto asked = shared_.core.clocks.consumer();
  auto consumer = Standstill::Consumer::away;
  // Before the first next() nobody can say whether there is a consumer.
  auto since = asked.handed.value_or(now);
  if (known.stops) {
    consumer = Standstill::Consumer::stops;
    since = *known.stops;
  } else if (known.waits_for_lease) {
    consumer = Standstill::Consumer::waits_for_lease;
    since = *known.waits_for_lease;
  } else if (asked.waits_since) {
    consumer = Standstill::Consumer::waits_for_batch;
    since = std::max(*asked.waits_since, oldest_since_);
  } else if (queue.ready == 0 && queue.leased == 0) {
    return;
  }
  if (now - since < shared_.plan.stall_after || told_ == since) return;
  told_ = since;
  tell(describe(find(consumer, now - since, queue, now)));
}

Standstill Watchdog::find(Standstill::Consumer consumer, Clock::duration lasted,
                          const books::Book::Queue& queue, Clock::time_point now) {
  const auto& plan = shared_.core.plan;
  Standstill found;
  found.consumer = consumer;
  found.lasted = lasted;
  found.filling = queue.filling;
  found.ready = queue.ready;
  found.leased = queue.leased;
  found.max_leases = plan.max_leases;
  found.oldest = queue.oldest;
  found.slab_bytes = queue.slab_asked;
  for (const auto& post : posts_) {
    const auto task = post.task();
    if (task.busy) found.busy.push_back({task.stage, name(task.index), task.row, now - task.since});
  }
  std::ranges::sort(found.busy, std::ranges::greater{}, &Standstill::Busy::lasted);
  for (const auto& parked : shared_.board.parked())
    found.parked.push_back(
        {name(parked.index), parked.row, parked.account, parked.bytes, now - parked.since});
  found.wants_slab = found.parked.empty() && shared_.core.book->someone_waits();
  found.memory = shared_.core.book->snapshot().memory;
  return found;
}

std::string Watchdog::name(std::uint64_t index) const {
  try {
    return sanitize(shared_.core.source.name(index));
  } catch (...) {
    return "sample " + std::to_string(index);
  }
}

void Watchdog::tell(const std::string& text) {
  shared_.core.course.add_stall(text);
  if (shared_.plan.on_stall) shared_.plan.on_stall(text);
}

}  // namespace weir::engine
