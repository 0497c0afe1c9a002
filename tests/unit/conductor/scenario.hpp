#pragma once

#include <cstdint>

#include "conductor/schedule.hpp"
#include "weir/error.hpp"

namespace weir::test {

/// A small world for the conductor: how big, how tight, what goes wrong.
struct Scenario {
  std::uint64_t dataset = 7, epochs = 2;
  std::uint32_t batch = 3, workers = 2, max_queue_size = 2, max_leases = 1;
  bool drop_last = false;
  std::uint64_t rows_ahead = 1;
  std::uint32_t max_run = 3;  ///< rows that a worker takes at once
  std::uint64_t slab_bytes = 100, sample_bytes = 60, spare_bytes = 0;  ///< budget = floor + spare
  std::uint64_t encoded_cap = UINT64_MAX;
  OnFault on_fault = OnFault::stop;
  std::uint64_t fail_one_in = 0;  ///< attempts that fail, by their row alone; 0: none
  std::uint32_t may_fail = 0;     ///< else so many attempts may fail, whichever
  std::uint64_t tolerate = UINT64_MAX;
  std::uint64_t cancel_from = UINT64_MAX;  ///< steps before a cancel may come
  std::uint32_t neighbour_moves = 0;       ///< of another page of the same ledger
  /// A cache of the loader's, of so many pieces at the most: how often one is kept or held by somebody.
  std::uint32_t cache_moves = 0, cache_pieces = 2;
  std::uint64_t piece_bytes = 25;
  bool watch_peak = true;  ///< over the whole run; else step by step
  /// Each batch has a slab of its own size, slab_bytes at the most.
  bool sizes_differ = false;
  std::uint64_t max_queue_bytes = UINT64_MAX, max_staging_bytes = UINT64_MAX;

  conductor::Schedule schedule() const noexcept { return {dataset, batch, drop_last, epochs}; }
};
Scenario random_scenario(std::uint64_t seed);

/// An attempt that fails this often ends the stream under `skip`.
inline constexpr std::uint32_t most_attempts = 4;

/// What an attempt at a row is like: a pure function of the row, whoever works on it and when.
std::uint64_t encoded_bytes(const Scenario& s, std::uint64_t sequence, std::uint32_t row,
                            std::uint32_t attempt) noexcept;
std::uint64_t scratch_bytes(const Scenario& s, std::uint64_t sequence, std::uint32_t row,
                            std::uint32_t attempt) noexcept;
/// Of the slab of a batch, where sizes differ.
std::uint64_t batch_bytes(const Scenario& s, std::uint64_t sequence) noexcept;
bool fails(const Scenario& s, std::uint64_t sequence, std::uint32_t row,
           std::uint32_t attempt) noexcept;
/// Batches handed over by a stream that nobody cancels, counted without a conductor.
std::uint64_t batches_expected(const Scenario& s) noexcept;

}  // namespace weir::test
