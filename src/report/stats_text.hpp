#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "report/figures.hpp"

namespace weir::report {

// What the clocks say, for people: parts of run_text(), and the words it is made of.

std::string percent(double share);
/// "12 us", "3.4 ms", "5.67 s".
std::string duration(double seconds);
/// `text` in lines of at most 96 columns, so many blanks before each.
std::string indented(std::string_view text, std::size_t blanks = 2);
/// "1 worker", "2 workers".
std::string plural(std::uint64_t count, std::string_view noun);

/// What bounds the run and the numbers that decide it. Empty where nothing was measured.
std::string regime_text(const Report& figures);
/// Waits, stalls, what workers did, how full the queue was.
std::string queue_text(const QueueStats& queue);
std::string stages_text(std::span<const StageStats> stages);
/// A line on what accounting costs; empty where an event was not measured.
std::string cost_text(std::string_view whose, std::string_view events, const AccountingCost& cost);

}  // namespace weir::report
