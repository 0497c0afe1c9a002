#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "report/json.hpp"

namespace weir::report {

// Text for a terminal: tables of at most 80 columns, prose for wrapped(), a newline at the end.

/// A line of a summary: a name, and what is said about it.
template <class... T>
std::string entry(std::string_view name, fmt::format_string<T...> format, T&&... arguments) {
  return fmt::format("  {:<14}  {}\n", name, fmt::format(format, std::forward<T>(arguments)...));
}

/// The memory of a plan in two lines. `budget_how` explains `auto`; empty if bytes were given.
/// `sample_how`: what was measured of the samples; empty if nothing was.
std::string plan_text(const Plan& plan, std::string_view budget_how = {},
                      std::string_view sample_how = {});
/// The bytes of a row by column. Empty for encoded samples.
std::string row_text(const Plan& plan);
/// Staging bytes by queue depth and element type, with a mark at the plan's own depth.
std::string depth_text(const Plan& plan, std::span<const std::uint32_t> depths);
/// GiB of the pixels of one batch.
std::string grid_text(const Grid& grid);

/// The complete report of a run: throughput, plan, samples, memory, queue, stages, faults.
std::string run_text(const Run& run);
/// Bytes by account, now and at the peak, and process memory.
std::string memory_text(const Run& run);
/// A line that says what "samples/s" counts. `counted`: that of the plan. Empty: rows are samples.
std::string rates_note(std::uint32_t partners, std::string_view counted);
/// Samples by state, and the bytes of unused pixels if all rows have one size: as they are held and, if they
/// may be converted, as float32.
std::string samples_text(const SampleTally& samples, const Plan& plan);
/// "NAME: KIND (STAGE): REASON at byte N".
std::string fault_text(const Fault& fault);
/// Content and counters of the cache. Empty if there is none.
std::string cache_text(const Report& figures);
/// What the rows show of each plane, the time of its decodes, and the first faults of optional planes.
/// Empty without planes.
std::string planes_text(std::span<const PlaneStats> planes, std::span<const Fault> faults,
                        std::uint32_t partners = 0);
/// row_text() and planes_text(). Empty for rows of an image alone.
std::string columns_text(const Report& figures);
/// planes_text() and faults_text(), each after an empty line if it is not empty.
std::string broken_text(const Report& figures);
/// The first `shown` faults of rows and the number of the others. Empty if there are none.
std::string faults_text(std::span<const Fault> faults, std::uint64_t fault_count,
                        std::size_t shown = 5);

}  // namespace weir::report
