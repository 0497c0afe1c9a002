#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "report/figures.hpp"

namespace weir::report {

// The statistics as text: parts of run_text(), and helpers for them.

/// "12 us", "3.4 ms", "5.67 s".
std::string duration(double seconds);
/// "+1.5 %" of 0.015.
std::string signed_percent(double share);
/// "1 worker", "2 workers", "2 batches".
std::string plural(std::uint64_t count, std::string_view noun);

/// The regime and the numbers behind it. Empty if nothing was measured.
std::string regime_text(const Report& figures);
/// Waits, stalls, activities of workers and fill level of the queue.
std::string queue_text(const QueueStats& queue);
std::string stages_text(std::span<const StageStats> stages);
/// A line with the cost of accounting. Empty if events were not measured.
std::string cost_text(std::string_view whose, std::string_view events, const AccountingCost& cost);

}  // namespace weir::report
