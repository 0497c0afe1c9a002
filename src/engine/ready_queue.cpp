#include "engine/ready_queue.hpp"

#include <boost/lockfree/spsc_queue.hpp>
#include <exception>

namespace weir::engine {

struct ReadyQueue::Ids : boost::lockfree::spsc_queue<books::SlabId> {
  using spsc_queue::spsc_queue;
};

ReadyQueue::ReadyQueue(std::uint32_t slabs) : ids_(std::make_unique<Ids>(slabs)) {}

ReadyQueue::~ReadyQueue() = default;

void ReadyQueue::push(books::SlabId id) noexcept {
  size_.fetch_add(1);
  if (!ids_->push(id)) std::terminate();  // impossible (see the header)
  items_.release();
}

void ReadyQueue::close() noexcept {
  if (!closed_.exchange(true)) items_.release();
}

std::optional<books::SlabId> ReadyQueue::pop(std::optional<Clock::time_point> deadline) noexcept {
  if (!deadline) {
    items_.acquire();
  } else if (!items_.try_acquire()) {
    // try_acquire_until may return early, so check the deadline.
    while (!items_.try_acquire_until(*deadline)) {
      if (Clock::now() >= *deadline) return std::nullopt;
    }
  }
  books::SlabId id = 0;
  if (ids_->pop(id)) {
    size_.fetch_sub(1);
    return id;
  }
  items_.release();  // keep the close token for later calls
  return std::nullopt;
}

}  // namespace weir::engine
