#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>

#include "base/fork_guard.hpp"

namespace weir::api {

/// Learns which batches of one stream the trainer has finished. Receipts share it, so it may outlive
/// the stream. Thread-safe.
class Finished {
 public:
  /// `note` takes the sequence of a batch. It must not throw.
  explicit Finished(std::function<void(std::uint64_t)> note) : note_(std::move(note)) {}
  /// Does nothing in a child of fork().
  void add(std::uint64_t sequence) const noexcept {
    if (!fork_guard_.in_child()) note_(sequence);
  }

  /// An exception has destroyed the batch.
  void add_thrown(std::uint64_t sequence) noexcept {
    auto behind = behind_thrown_.load();
    while (behind <= sequence && !behind_thrown_.compare_exchange_weak(behind, sequence + 1)) {
    }
  }
  /// Whether it is the newest one that an exception has destroyed.
  bool is_thrown(std::uint64_t sequence) const noexcept {
    return behind_thrown_.load() == sequence + 1;
  }

 private:
  std::atomic<std::uint64_t> behind_thrown_ = 0;
  const std::function<void(std::uint64_t)> note_;
  const ForkGuard fork_guard_{};
};

}  // namespace weir::api
