#pragma once

#include <array>
#include <cstdint>

#include "weir/image.hpp"
#include "weir/ledger.hpp"
#include "weir/setting.hpp"

namespace weir {

/// Number of samples by state since the construction of the loader. Each counter has its own
/// events; none is computed from the others. All but `partners` count a row as one sample.
struct SampleTally {
  std::uint64_t drawn = 0;      ///< assigned to a batch that has its slab
  std::uint64_t in_flight = 0;  ///< drawn, but not yet in the ready queue
  std::uint64_t ready = 0;      ///< in the queue
  std::uint64_t leased = 0;     ///< in leased batches
  std::uint64_t consumed = 0;   ///< in batches that the consumer has released
  std::uint64_t discarded = 0;  ///< finished but not wanted (cancel, discard())
  std::uint64_t dropped = 0;    ///< drawn but never finished (cancel, failed stream)
  std::uint64_t failed = 0;     ///< samples with a Fault
  std::uint64_t replaced = 0;   ///< rows that a replacement fills
  std::uint64_t omitted = 0;    ///< never drawn, because drop_last omits incomplete batches
  /// Options::partners of finished rows, decoded beside the rows' own samples.
  std::uint64_t partners = 0;

  /// Number of samples that have reached the queue.
  constexpr std::uint64_t produced() const noexcept {
    return ready + leased + consumed + discarded;
  }
  /// Whether the law of conservation holds.
  constexpr bool conserved() const noexcept {
    return drawn == in_flight + produced() + dropped + failed;
  }
  /// Whether each finished row has had `each` partners. Rows that are in flight or dropped may be
  /// finished or not.
  constexpr bool has_partners(std::uint32_t each) const noexcept {
    if (each == 0) return partners == 0;
    return partners % each == 0 && partners / each >= produced() &&
           partners / each <= produced() + in_flight + dropped;
  }
};

/// What the memory of all slabs of a loader holds, in bytes. Their sum is what the accounts filling,
/// ready, leased and idle hold for this loader.
struct SlabBytes {
  std::uint64_t image = 0;       ///< images, or encoded samples
  std::uint64_t annotation = 0;  ///< the room of all annotations
  std::uint64_t window = 0;      ///< the window of each row
  /// Labels, indices, statuses, padding, and room that a batch of smaller images leaves.
  std::uint64_t rest = 0;
  /// In the order of Options::planes.
  std::array<std::uint64_t, EncodedPlanes::most> planes{};
};

/// Bytes, samples and queue of one loader at one instant.
struct Snapshot {
  MemorySnapshot memory;      ///< accounts in bytes
  SampleTally samples;        ///< samples by state
  std::uint32_t filling = 0;  ///< batches in progress
  std::uint32_t ready = 0;    ///< batches in the queue
  std::uint32_t leased = 0;   ///< batches that the consumer holds
  Setting setting{};          ///< the knobs now
  Setting setting_before{};   ///< the knobs before their last change; equal if there was none
  SlabBytes slabs{};          ///< read a moment after `memory`
};

}  // namespace weir
