#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <semaphore>

#include "base/clock.hpp"
#include "books/row_key.hpp"

namespace weir::engine {

/// Hands batches from the conductor to the consumer.
///   push   conductor's strand only      never fails, never blocks
///   close  any thread                   idempotent
///   pop    one consumer at a time       blocks; what was pushed before the close still comes
///
/// Why push() cannot fail: an id enters the queue only while its slab is `ready`, and a slab is in
/// one state at a time. With S slabs at most S ids exist, and the queue has S places.
class ReadyQueue {
 public:
  explicit ReadyQueue(std::uint32_t slabs);
  ~ReadyQueue();
  ReadyQueue(const ReadyQueue&) = delete;
  ReadyQueue& operator=(const ReadyQueue&) = delete;

  void push(books::SlabId id) noexcept;
  void close() noexcept;
  /// Empty: nothing until `deadline` (none: waits for ever), or closed and drained.
  std::optional<books::SlabId> pop(std::optional<Clock::time_point> deadline) noexcept;
  bool drained() const noexcept { return closed_.load() && size_.load() == 0; }
  bool empty() const noexcept { return size_.load() == 0; }

 private:
  struct Ids;  ///< Boost's queue, whose headers are long
  std::unique_ptr<Ids> ids_;
  std::counting_semaphore<> items_{0};  ///< ids, and one more once closed
  std::atomic<std::uint32_t> size_{0};
  std::atomic<bool> closed_{false};
};

}  // namespace weir::engine
