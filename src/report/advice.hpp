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
/// The cost of each depth.
Json depths_json(const Plan& plan, std::span<const std::uint32_t> depths);

/// Predictions for the controls of the page: `max_queue_size`, `workers`, `read_ahead` and
/// `consumer_s` are the values of each control, and `points` has a prediction for each combination,
/// the last control fastest; `now` is the index of the settings now. null: the budget does not hold
/// that setting. The point of the settings now is that of the advice. The other predictions are
/// shorter, and 1 % less precise.
Json setting_grid(const Interval& interval, const Advice& advice);

/// The levers as a table, and what to paste for each.
std::string levers_text(const Advice& advice);

/// The lever of known effect that a setting of the loader pulls and that gains most. If none makes
/// the loader faster, the first that saves memory. Null if there is none.
const Lever* best_lever(const Advice& advice) noexcept;
/// What to change, in a sentence or two: best_lever(), or that nothing in the loader helps.
std::string headline(const Advice& advice);
/// The verdict, whether it is measured or predicted, and the headline.
std::string verdict_text(const Advice& advice);

/// The end of a report: the command to try next.
std::string next_text(const std::string& command);
/// The end of a report: the verdict, the headline, and the command to try next.
std::string next_text(const Advice& advice, const std::string& command);

/// The measurements of the interval: samples, and the times of a read, a decode and a batch of the
/// consumer. `read_ahead` is that of the measurement.
std::string interval_text(const Interval& interval, std::uint32_t read_ahead);

}  // namespace weir::report
