#pragma once

#include <cstdint>

namespace weir {

/// Where every sample is. Each counter moves by its own event; none is derived.
struct SampleTally {
  std::uint64_t drawn = 0;      ///< given to a batch that has its slab
  std::uint64_t in_flight = 0;  ///< drawn, not yet in the ready queue
  std::uint64_t ready = 0, leased = 0, consumed = 0;
  std::uint64_t discarded = 0;  ///< produced but not wanted (cancel, discard())
  std::uint64_t dropped = 0;    ///< drawn but never produced (cancel, a stream that stopped)
  std::uint64_t failed = 0;     ///< gave a Fault
  std::uint64_t replaced = 0;   ///< rows filled by a replacement
  std::uint64_t omitted = 0;    ///< never drawn: the short last batches that drop_last left out

  constexpr std::uint64_t produced() const noexcept {
    return ready + leased + consumed + discarded;
  }
  /// Law: conservation.
  constexpr bool conserved() const noexcept {
    return drawn == in_flight + produced() + dropped + failed;
  }
};

}  // namespace weir
