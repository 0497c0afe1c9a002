#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "books/book.hpp"
#include "engine/thread_activity.hpp"
#include "weir/source.hpp"

namespace weir::engine {

/// The state of a stalled stream.
struct Standstill {
  enum class Consumer : std::uint8_t {
    waits_for_batch,
    waits_for_lease,  ///< it is in next(timeout), and every lease is out
    away,             ///< it does not call next()
    stops,            ///< cancel() or the destructor was called
  };

  Consumer consumer = Consumer::waits_for_batch;
  Clock::time_point since{}, now{};
  books::Book::Queue queue;
  std::uint32_t max_leases = 0;
  std::vector<ParkedSample> parked;  ///< oldest first
  bool wants_slab = false;           ///< whether bytes for a slab were refused
  MemorySnapshot memory{};
  std::vector<Activity> busy{};  ///< active threads, longest first
};

/// Describes in a few sentences what the stream waits for, how long, at which sample, and which
/// account lacks bytes.
std::string describe(const Standstill& standstill, const AnySource& source);

}  // namespace weir::engine
