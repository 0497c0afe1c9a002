#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/figures.hpp"

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

/// How a run goes, or would.
struct Pace {
  double samples_per_s = 0, data_readiness = 0;
  double consumer_wait = 0;         ///< share of the time
  std::uint64_t staging_bytes = 0;  ///< at the peak
};

/// One depth of a sweep.
struct SweepRow {
  std::uint32_t max_queue_size = 0, slabs = 0;
  DepthCost bound;                  ///< by the plan
  std::uint64_t staging_bytes = 0;  ///< at the peak, measured
  std::uint64_t peak_bytes = 0;     ///< of the books: staging and all else
  std::int64_t rss_growth = 0;      ///< of the process, from before the Loader to its largest
  double samples_per_s = 0, consumer_wait_s = 0, data_readiness = 0;
  std::uint64_t drawn = 0, consumed = 0;
  std::string error;         ///< why this depth has no figures, or not all
  double consumer_wait = 0;  ///< share of the time
  std::optional<Pace> foretold;
};
std::string sweep_text(std::span<const SweepRow> rows);

}  // namespace weir::report
