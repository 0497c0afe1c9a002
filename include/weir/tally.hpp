#pragma once

#include <cstdint>

namespace weir {

/// Where every sample is, in samples since the loader was made. Each counter moves by its own event; none is derived.
struct SampleTally {
  std::uint64_t drawn = 0;      ///< given to a batch that has its slab
  std::uint64_t in_flight = 0;  ///< drawn, not yet in the ready queue
  std::uint64_t ready = 0;      ///< in the queue
  std::uint64_t leased = 0;     ///< in the consumer's hands
  std::uint64_t consumed = 0;   ///< of batches that the consumer has let go
  std::uint64_t discarded = 0;  ///< produced but not wanted (cancel, discard())
  std::uint64_t dropped = 0;    ///< drawn but never produced (cancel, a stream that stopped)
  std::uint64_t failed = 0;     ///< gave a Fault
  std::uint64_t replaced = 0;   ///< rows filled by a replacement
  std::uint64_t omitted = 0;    ///< never drawn: the short last batches that drop_last left out

  /// Samples that reached the queue, ever.
  constexpr std::uint64_t produced() const noexcept {
    return ready + leased + consumed + discarded;
  }
  /// Law: conservation.
  constexpr bool conserved() const noexcept {
    return drawn == in_flight + produced() + dropped + failed;
  }
};

}  // namespace weir
