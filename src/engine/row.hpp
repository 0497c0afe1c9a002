#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.hpp"
#include "books/waiters.hpp"
#include "buffer/block.hpp"
#include "buffer/sample_cache.hpp"
#include "buffer/slab_row.hpp"
#include "engine/plan_planes.hpp"
#include "source/position.hpp"
#include "weir/image.hpp"

namespace weir::engine {

/// One sample of a row in progress.
struct RowSample {
  std::uint64_t index = 0;           ///< source index of the drawn sample or its replacement
  std::uint32_t attempt = 0;         ///< failures of this sample of the row
  std::uint32_t draws = 0;           ///< replacements drawn; more than failures if some do not fit
  Encoded data{};                    ///< in Row::encoded, in the source's memory or in the cache
  UnreadPlanes unread{};             ///< of `data`
  std::uint64_t charged = 0;         ///< bytes that reading it charged
  std::optional<Window> window{};    ///< chosen once for each attempt
  RowStatus status = RowStatus::ok;  ///< decoded or kept
  buffer::SampleCache::Hold kept;    ///< the cached sample in use
};

/// One row in progress. Readers pass it to workers; it can wait for bytes. It is reused from row to
/// row and keeps the memory of its encoded block, in which all its samples lie.
struct Row : books::Waiter {
  /// `count`: samples of each row, at least 1. Throws std::bad_alloc.
  Row(books::Budget& its, std::uint32_t count)
      : budget(its), samples(count), encoded(its, Account::encoded) {}
  ~Row() { budget.discharge(account, granted); }  // granted, but the stream ended first
  Row(const Row&) = delete;
  Row& operator=(const Row&) = delete;

  /// The row's own sample. Its partners follow it in `samples`.
  RowSample& own() noexcept { return samples.front(); }
  const RowSample& own() const noexcept { return samples.front(); }
  void release_kept() noexcept {
    for (auto& sample : samples) sample.kept.release();
  }

  books::Budget& budget;

  buffer::SlabRow slot;  ///< the row in its slab
  std::uint64_t epoch = 0;
  source::Position position{};
  std::uint64_t step = 0;   ///< SizeInput::step
  std::uint64_t drawn = 0;  ///< source index of the own sample before any replacement
  std::vector<RowSample> samples;
  std::uint64_t used = 0;     ///< bytes of `encoded` with samples
  std::uint64_t charged = 0;  ///< bytes that reading all samples charged
  std::uint64_t beside = 0;   ///< bytes it waits for that its block does not allocate
  bool has_bytes = false;     ///< whether all samples are complete
  bool ahead = false;         ///< an outstanding read until a worker takes it
  buffer::Block encoded;
  Clock::time_point parked_at{};
};

using RowPtr = std::unique_ptr<Row>;

/// The memory that a worker keeps from row to row.
struct WorkerMemory {
  explicit WorkerMemory(books::Budget& budget) : scratch(budget, Account::scratch) {}
  RowPtr row;
  RowPtr spare;  ///< replaces a parked `row`; allocated before a row can wait
  buffer::Block scratch;
  void trim() noexcept {
    if (row) row->encoded.trim();
    if (spare) spare->encoded.trim();
    scratch.trim();
  }
};

}  // namespace weir::engine
