#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "books/book.hpp"
#include "engine/thread_activity.hpp"
#include "weir/source.hpp"

namespace weir::engine {

/// What was found in a stream that stands still.
struct Standstill {
  enum class Consumer : std::uint8_t {
    waits_for_batch,
    waits_for_lease,  ///< in next(timeout), with every lease out
    away,             ///< it does not ask
    stops,            ///< it wants no more: cancel() or the destructor
  };

  Consumer consumer = Consumer::waits_for_batch;
  Clock::time_point since{}, now{};
  books::Book::Queue queue;
  std::uint32_t max_leases = 0;
  std::vector<ParkedSample> parked;  ///< oldest first
  bool wants_slab = false;           ///< bytes for a slab were refused
  MemorySnapshot memory{};
  std::vector<Activity> busy{};  ///< threads at a row, longest first
};

/// In one sentence or a few: whom the stream waits for, for how long, at which sample, and where bytes
/// are short, of which account.
std::string describe(const Standstill& standstill, const AnySource& source);

}  // namespace weir::engine
