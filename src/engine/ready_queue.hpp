#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <semaphore>

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "buffer/slab.hpp"

namespace weir::engine {

/// Passes batches from the conductor to the consumer.
///   push   conductor's strand only      never fails, never waits for the consumer
///   close  any thread                   idempotent
///   pop    one consumer at a time       blocks; returns all that was pushed before close
///
/// Why push() cannot fail: the slabs themselves are the links of the queue. A slab is in it only
/// while it is `ready`, and a slab has one state at a time.
class ReadyQueue {
 public:
  void push(buffer::Slab& slab) noexcept;
  void close() noexcept;
  /// Null if nothing is ready before `deadline` (none: no limit), or if the queue is closed and
  /// empty.
  buffer::Slab* pop(std::optional<Clock::time_point> deadline) noexcept;
  bool drained() const noexcept { return closed_.load() && size_.load() == 0; }
  bool empty() const noexcept { return size_.load() == 0; }

 private:
  Mutex mutex_;
  buffer::Slab* first_ WEIR_GUARDED_BY(mutex_) = nullptr;
  buffer::Slab** end_ WEIR_GUARDED_BY(mutex_) = &first_;
  std::counting_semaphore<> items_{0};  ///< one for each slab, and one more after close()
  std::atomic<std::uint32_t> size_{0};
  std::atomic<bool> closed_{false};
};

}  // namespace weir::engine
