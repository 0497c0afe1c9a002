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

  std::atomic<std::uint64_t> thrown = UINT64_MAX;  ///< the last one that an exception destroyed

 private:
  const std::function<void(std::uint64_t)> note_;
  const ForkGuard fork_guard_{};
};

}  // namespace weir::api
