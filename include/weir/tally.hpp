#pragma once

#include <cstdint>

#include "weir/ledger.hpp"

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

/// One instant of bytes, samples and queue, of this loader alone.
struct Snapshot {
  MemorySnapshot memory;      ///< bytes
  SampleTally samples;        ///< samples
  std::uint32_t filling = 0;  ///< batches being made
  std::uint32_t ready = 0;    ///< batches in the queue
  std::uint32_t leased = 0;   ///< batches in the consumer's hands
};

}  // namespace weir
