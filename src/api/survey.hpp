#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <stop_token>

#include "plan/resolve.hpp"
#include "weir/options.hpp"
#include "weir/rows.hpp"
#include "weir/source.hpp"

namespace weir::api {

/// What the headers of all samples say.
struct Survey {
  std::shared_ptr<const SizeIndex> sizes;
  plan::LargestSample sample;
};

/// Reads each sample once, as measure_sizes(), and throws as it does. `all`: also samples whose size
/// the source knows; otherwise the largest sample of such a source is unknown, and that of rows with
/// partners whose sizes differ. For these, `all` reads once more if no sizes are known; `reads` does not
/// count that.
/// After a request of `stop` nothing more is read, and the result is incomplete.
/// `own`: the ledger if the options have none; null: one with their budget. `reads` counts them, if it is not null.
Survey survey(const AnySource& source, const Options& options, bool all,
              const std::stop_token& stop = {}, MemoryLedger* own = nullptr,
              std::atomic<std::uint64_t>* reads = nullptr);

}  // namespace weir::api
