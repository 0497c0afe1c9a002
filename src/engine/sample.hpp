#pragma once

#include <cstdint>
#include <memory>

#include "base/clock.hpp"
#include "books/waiters.hpp"
#include "buffer/block.hpp"
#include "buffer/sample_cache.hpp"
#include "engine/row_slot.hpp"

namespace weir::engine {

/// One row under way: what travels from reader to worker, or waits for bytes. Reused from row to
/// row; its encoded block keeps its memory.
struct Sample : books::Waiter {
  explicit Sample(books::Book& page) noexcept : book(page), encoded(page, Account::encoded) {}
  ~Sample() { book.discharge(account, granted); }  // granted, but the stream ended first
  Sample(const Sample&) = delete;
  Sample& operator=(const Sample&) = delete;

  books::Book& book;

  RowSlot slot;  ///< where it goes
  std::uint64_t epoch = 0, position = 0;
  std::uint32_t attempt = 0;  ///< failures of this row so far
  std::uint64_t drawn = 0;    ///< of the source: the row's own sample
  std::uint64_t index = 0;    ///< of the source: that one or a replacement
  Encoded data{};             ///< in `encoded`, in the source's memory or in the cache
  std::uint64_t charged = 0;  ///< bytes taken from the sink
  std::uint64_t beside = 0;   ///< of what it waits for: not to be allocated by its block
  bool has_bytes = false;
  RowStatus status = RowStatus::ok;  ///< of what was decoded, or kept
  buffer::SampleCache::Hold kept;    ///< where they lie in the cache
  bool ahead = false;                ///< counts as an outstanding read until a worker takes it
  buffer::Block encoded;
  Clock::time_point parked_at{};
};

using SamplePtr = std::unique_ptr<Sample>;

/// What a worker keeps from row to row.
struct WorkerMemory {
  explicit WorkerMemory(books::Book& book) : scratch(book, Account::scratch) {}
  SamplePtr sample;
  SamplePtr spare;  ///< takes over when `sample` parks; fetched before a sample can become a waiter
  buffer::Block scratch;
  void trim() noexcept {
    if (sample) sample->encoded.trim();
    if (spare) spare->encoded.trim();
    scratch.trim();
  }
};

}  // namespace weir::engine
