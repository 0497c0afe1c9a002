#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "pack/piece.hpp"
#include "source/position.hpp"
#include "weir/ledger.hpp"

namespace weir::pack {

/// Thrown by Memory::take() when the pack ends. Not a std::exception, so that a source lets it pass.
struct Stopped {};

/// The memory of all samples under way, within a budget. Half of it belongs to the oldest sample,
/// the next one to be written. So that sample never waits, and each sample becomes the oldest.
/// Thread-safe.
class Memory {
 public:
  /// `fixed` bytes are charged to the index for the life of this object. A sample that needs more
  /// than most_sample_bytes() is a fault. `max_sample_bytes` lowers that bound; 0: it does not.
  /// Throws Error{budget_too_small}.
  Memory(std::uint64_t budget, std::uint64_t fixed, std::uint64_t max_sample_bytes);

  /// Charges and allocates bytes for the sample at `position`, and `beside` for memory that others
  /// allocate. Waits while the budget has no room. `position` must not need more than
  /// most_sample_bytes() in all. Throws Stopped, std::bad_alloc.
  Piece take(source::Position position, Account account, std::uint64_t bytes,
             std::uint64_t beside = 0);
  std::uint64_t most_sample_bytes() const noexcept { return most_sample_bytes_; }
  /// Positions before this one hold nothing any more.
  void set_oldest(source::Position position);
  /// Ends all waits.
  void stop();
  MemorySnapshot snapshot() const { return ledger_.snapshot(); }

 private:
  friend class Piece;
  bool has_room(std::uint64_t bytes) const noexcept { return bytes <= shared_ - used_; }
  void give_back(Piece& piece) noexcept;

  MemoryLedger ledger_;
  Charge fixed_;
  std::uint64_t shared_ = 0;  ///< bytes for all samples but the oldest
  std::uint64_t most_sample_bytes_ = 0;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t used_ = 0;  ///< of shared_
  source::Position oldest_{};
  bool stopped_ = false;
};

}  // namespace weir::pack
