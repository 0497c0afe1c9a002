#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <semaphore>

#include "base/clock.hpp"
#include "books/row_key.hpp"

namespace weir::engine {

/// Passes batches from the conductor to the consumer.
///   push   conductor's strand only      never fails, never blocks
///   close  any thread                   idempotent
///   pop    one consumer at a time       blocks; returns all that was pushed before close
///
/// Why push() cannot fail: an id is in the queue only while its slab is `ready`, and a slab has one
/// state at a time. With S slabs there are at most S ids, and the queue has capacity S.
class ReadyQueue {
 public:
  explicit ReadyQueue(std::uint32_t slabs);
  ~ReadyQueue();
  ReadyQueue(const ReadyQueue&) = delete;
  ReadyQueue& operator=(const ReadyQueue&) = delete;

  void push(books::SlabId id) noexcept;
  void close() noexcept;
  /// Empty if nothing is ready before `deadline` (none: no limit), or if the queue is closed and
  /// empty.
  std::optional<books::SlabId> pop(std::optional<Clock::time_point> deadline) noexcept;
  bool drained() const noexcept { return closed_.load() && size_.load() == 0; }
  bool empty() const noexcept { return size_.load() == 0; }

 private:
  struct Ids;  ///< hides the long headers of Boost's queue
  std::unique_ptr<Ids> ids_;
  std::counting_semaphore<> items_{0};  ///< one for each id, and one more after close()
  std::atomic<std::uint32_t> size_{0};
  std::atomic<bool> closed_{false};
};

}  // namespace weir::engine
