#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <span>
#include <string>

#include "report/json.hpp"
#include "weir/advice.hpp"

namespace weir::report {

Json to_json(const Prediction& prediction);
Json to_json(const Advice& advice);
/// The cost of each predicted queue depth, and its prediction under `predicted`.
Json depths_json(const Plan& plan, std::span<const Prediction> predictions);
/// The cost of the plan's depth and of common depths.
Json depths_json(const Plan& plan);

/// A table of the important settings, the advice as sentences, and the options to paste. At most
/// 100 columns.
std::string advice_text(const Advice& advice);

/// The verdict and the measurements of the window: samples, and the times of a read, a decode and a
/// batch of the consumer. `read_ahead` is that of the measurement.
std::string window_text(const Window& window, const Verdict& verdict, std::uint32_t read_ahead);

}  // namespace weir::report
