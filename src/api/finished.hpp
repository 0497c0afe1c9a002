#pragma once

#include <cstdint>

#include "base/fork_guard.hpp"

namespace weir::api {

/// Learns which batches of one stream the trainer has finished. Receipts share it, so it may outlive
/// the stream. Thread-safe.
class Finished {
 public:
  virtual ~Finished() = default;
  /// Does nothing in a child of fork().
  void add(std::uint64_t sequence) noexcept {
    if (!fork_guard_.in_child()) note(sequence);
  }

 private:
  virtual void note(std::uint64_t sequence) noexcept = 0;
  const ForkGuard fork_guard_{};
};

}  // namespace weir::api
