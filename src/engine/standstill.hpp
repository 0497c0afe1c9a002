#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "books/row_key.hpp"
#include "weir/error.hpp"
#include "weir/ledger.hpp"

namespace weir::engine {

/// What was found in a stream that stands still.
struct Standstill {
  enum class Consumer : std::uint8_t {
    waits_for_batch,
    waits_for_lease,  ///< in next(timeout), with every lease out
    away,             ///< it does not ask
    stops,            ///< it wants no more: cancel() or the destructor
  };
  /// A thread at a row: in a read, or decoding.
  struct Busy {
    Stage stage = Stage::read;
    std::string sample;
    books::RowKey row{};
    Clock::duration lasted{};
  };
  /// A sample that was refused bytes.
  struct Parked {
    std::string sample;
    books::RowKey row{};
    Account account = Account::encoded;
    std::uint64_t bytes = 0;
    Clock::duration lasted{};
  };

  Consumer consumer = Consumer::waits_for_batch;
  Clock::duration lasted{};
  std::uint32_t filling = 0, ready = 0, leased = 0, max_leases = 0;
  books::RowKey oldest{};      ///< unfinished row
  std::vector<Busy> busy;      ///< longest first
  std::vector<Parked> parked;  ///< oldest first
  bool wants_slab = false;     ///< bytes for a slab were refused
  std::uint64_t slab_bytes = 0;
  MemorySnapshot memory{};
};

/// In one sentence or a few: whom the stream waits for, for how long, at which sample, and where bytes
/// are short, of which account.
std::string describe(const Standstill& standstill);

}  // namespace weir::engine
