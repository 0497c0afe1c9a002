#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "report/json.hpp"

namespace weir::report {

// Text for people: at most 100 columns, a newline at the end of each.

/// What the plan holds, in two lines.
/// `budget_how`: how `auto` was worked out; empty where the bytes were named.
std::string plan_text(const Plan& plan, std::string_view budget_how = {});
/// Staging bytes by queue depth and element type; the plan's own depth is marked.
std::string depth_text(const Plan& plan, std::span<const std::uint32_t> depths);
/// GiB of the pixels of one batch.
std::string grid_text(const Grid& grid);

/// The whole report of a run: throughput, plan, samples, memory, queue, stages, faults.
std::string run_text(const Run& run);
/// Bytes by account now and at peak, and the process beside them.
std::string memory_text(const Run& run);
/// The shape of every image; 0 x 0 where each has its own.
inline Shape common_shape(const Plan& plan) noexcept {
  return plan.sizes.mode == Sizes::fixed ? plan.shape : Shape{0, 0, 3};
}
/// Drawn, consumed, and what lies between as each element type (not where the shape is 0 x 0).
std::string samples_text(const SampleTally& samples, const Shape& shape);
/// "NAME: KIND (STAGE): REASON at byte N".
std::string fault_text(const Fault& fault);
/// What the cache held and what came of it; empty where there was none.
std::string cache_text(const Report& figures);
/// The first `shown` faults, and how many more there are. Empty where there is none.
std::string faults_text(std::span<const Fault> faults, std::uint64_t fault_count,
                        std::size_t shown = 5);

/// A line for each depth of a sweep: `runs` is the JSON of each, with `predicted`.
std::string sweep_text(const Json& runs);

}  // namespace weir::report
