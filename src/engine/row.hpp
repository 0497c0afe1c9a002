#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/clock.hpp"
#include "books/waiters.hpp"
#include "buffer/block.hpp"
#include "buffer/sample_cache.hpp"
#include "buffer/slab_row.hpp"
#include "engine/plan_planes.hpp"
#include "source/position.hpp"
#include "weir/window.hpp"

namespace weir::engine {

/// One row in progress. Readers pass it to workers; it can wait for bytes. It is reused from row to
/// row and keeps the memory of its encoded block.
struct Row : books::Waiter {
  explicit Row(books::Budget& its) noexcept : budget(its), encoded(its, Account::encoded) {}
  ~Row() { budget.discharge(account, granted); }  // granted, but the stream ended first
  Row(const Row&) = delete;
  Row& operator=(const Row&) = delete;

  books::Budget& budget;

  buffer::SlabRow slot;  ///< the row in its slab
  std::uint64_t epoch = 0;
  source::Position position{};
  std::uint64_t step = 0;            ///< SizeInput::step
  std::uint32_t attempt = 0;         ///< failures of this row
  std::uint64_t drawn = 0;           ///< source index of the row's own sample
  std::uint64_t index = 0;           ///< source index of that sample or its replacement
  Encoded data{};                    ///< in `encoded`, in the source's memory or in the cache
  UnreadPlanes unread{};             ///< of `data`
  std::uint64_t charged = 0;         ///< bytes that reading charged
  std::uint64_t beside = 0;          ///< bytes it waits for that its block does not allocate
  bool has_bytes = false;            ///< whether `data` is complete
  std::optional<Window> window{};    ///< chosen once for each attempt
  RowStatus status = RowStatus::ok;  ///< of the decoded or kept row
  buffer::SampleCache::Hold kept;    ///< the cached sample in use
  bool ahead = false;                ///< an outstanding read until a worker takes it
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
