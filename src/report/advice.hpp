#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <span>
#include <string>

#include "report/json.hpp"
#include "weir/advice.hpp"

namespace weir::report {

Json to_json(const Prediction& prediction);
Json to_json(const Lever& lever);
Json to_json(const Advice& advice);
/// The cost of each predicted queue depth, and its prediction under `predicted`.
Json depths_json(const Plan& plan, std::span<const Prediction> predictions);
/// The cost of the plan's depth and of common depths.
Json depths_json(const Plan& plan);

/// The levers as a table, and what to paste for each. At most 100 columns if no title is longer
/// than 60.
std::string levers_text(const Advice& advice);

/// The verdict, and whether it is predicted.
std::string verdict_text(const Advice& advice);

/// The end of a report: the command to try next.
std::string next_text(const std::string& command);
/// The end of a report: the verdict, the best lever, and the command to try next.
std::string next_text(const Advice& advice, const std::string& command);

/// The measurements of the interval: samples, and the times of a read, a decode and a batch of the
/// consumer. `read_ahead` is that of the measurement.
std::string interval_text(const Interval& interval, std::uint32_t read_ahead);

}  // namespace weir::report
