#include "engine/ready_queue.hpp"

namespace weir::engine {

void ReadyQueue::push(buffer::Slab& slab) noexcept {
  {
    Lock lock(mutex_);
    slab.next_ready = nullptr;
    *end_ = &slab;
    end_ = &slab.next_ready;
    size_.fetch_add(1);
  }
  items_.release();
}

void ReadyQueue::close() noexcept {
  if (!closed_.exchange(true)) items_.release();
}

buffer::Slab* ReadyQueue::pop(std::optional<Clock::time_point> deadline) noexcept {
  if (!deadline) {
    items_.acquire();
  } else if (!items_.try_acquire()) {
    // try_acquire_until may return early, so check the deadline.
    while (!items_.try_acquire_until(*deadline)) {
      if (Clock::now() >= *deadline) return nullptr;
    }
  }
  {
    Lock lock(mutex_);
    if (auto* const slab = first_) {
      first_ = slab->next_ready;
      if (!first_) end_ = &first_;
      size_.fetch_sub(1);
      return slab;
    }
  }
  items_.release();  // keep the close token for later calls
  return nullptr;
}

}  // namespace weir::engine
