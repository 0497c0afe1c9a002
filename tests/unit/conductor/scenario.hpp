#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "books/row_key.hpp"
#include "conductor/schedule.hpp"
#include "weir/error.hpp"
#include "weir/order.hpp"

namespace weir::test {

/// A small model of the conductor's environment: its size, its limits, its failures.
struct Scenario {
  std::uint64_t dataset = 7, epochs = 2;  ///< positions of an epoch
  Order order{};
  std::uint64_t samples = dataset;  ///< of the source
  std::uint32_t batch = 3, workers = 2, max_queue_size = 2, max_leases = 1;
  bool drop_last = false;
  std::uint64_t rows_ahead = 1;
  std::uint32_t max_run = 3;  ///< rows that a worker takes at once
  std::uint64_t slab_bytes = 100, sample_bytes = 60, spare_bytes = 0;  ///< budget = floor + spare
  std::uint64_t encoded_cap = UINT64_MAX;
  /// The number of readers, and of rows that they read ahead; 0: workers read. Reads are quick at
  /// first, so workers read their own rows. That changes `pace_changes` times.
  std::uint32_t read_ahead = 0, pace_changes = 0;
  /// How often tuning sets other limits: workers, queue, rows ahead and reads ahead, at most these.
  std::uint32_t tunings = 0;
  std::uint32_t partners = 0;  ///< further samples of each row, in its one block
  OnFault on_fault = OnFault::stop;
  std::uint64_t fail_one_in = 0;  ///< attempts that fail, depending only on their row; 0: none
  /// Rows that the cache has, which workers that read only copy, and post in runs; 0: none.
  std::uint64_t copied_one_in = 0;
  /// Rows for which the order has no sample, which ends the stream under any policy; 0: none.
  std::uint64_t no_sample_one_in = 0;
  std::uint32_t may_fail = 0;  ///< otherwise this many attempts may fail, chosen freely
  std::uint64_t tolerate = UINT64_MAX;
  std::uint64_t cancel_from = UINT64_MAX;  ///< steps before a cancel may come
  std::uint32_t neighbour_moves = 0;       ///< of another page of the same ledger
  /// The loader's cache: the maximum number of pieces, and how often one is kept or held.
  std::uint32_t cache_moves = 0, cache_pieces = 2;
  std::uint64_t piece_bytes = 25;
  bool watch_peak = true;  ///< over the whole run; otherwise for each step
  /// Each batch has a slab of a different size, at most slab_bytes.
  bool sizes_differ = false;
  std::uint64_t max_queue_bytes = UINT64_MAX, max_staging_bytes = UINT64_MAX;

  std::uint32_t rank = 0, world = 1;
  /// Batches that the trainer asks for, instead of epochs; 0: epochs. At most so many unfinished.
  std::uint64_t asks = 0;
  std::uint32_t most_outstanding = 1;

  conductor::Schedule schedule() const {
    return {{dataset, batch, drop_last, {rank, world}}, epochs};
  }
};
Scenario random_scenario(std::uint64_t seed);

/// A row with this many failed attempts ends the stream under `skip`.
inline constexpr std::uint32_t most_attempts = 4;

/// The memory of an attempt at a row: a pure function of the row, independent of worker and time.
/// Of the first `samples` samples of the row together.
std::uint64_t encoded_bytes(const Scenario& s, std::uint64_t sequence, std::uint32_t row,
                            std::uint32_t attempt, std::uint32_t samples) noexcept;
std::uint64_t scratch_bytes(const Scenario& s, std::uint64_t sequence, std::uint32_t row,
                            std::uint32_t attempt) noexcept;
/// The samples of a request.
std::vector<std::uint64_t> request(const Scenario& s, std::uint64_t sequence);
/// The bytes of a batch's slab, if sizes differ.
std::uint64_t batch_bytes(const Scenario& s, std::uint64_t sequence) noexcept;
bool fails(const Scenario& s, std::uint64_t sequence, std::uint32_t row,
           std::uint32_t attempt) noexcept;
bool is_copied(const Scenario& s, books::RowKey row) noexcept;
bool has_no_sample(const Scenario& s, std::uint64_t sequence, std::uint32_t row) noexcept;
/// Whether the order of the scenario may draw this sample.
bool can_draw(const Scenario& s, std::uint64_t index);
/// Whether it draws each sample at most once an epoch.
bool draws_once(const Scenario& s) noexcept;
/// What it draws at a position, computed without a Sampler. Empty if it is random.
std::optional<std::uint64_t> expected_index(const Scenario& s, std::uint64_t epoch,
                                            std::uint64_t position);
/// The number of batches of a stream without a cancel, counted without a conductor.
std::uint64_t batches_expected(const Scenario& s) noexcept;

}  // namespace weir::test
