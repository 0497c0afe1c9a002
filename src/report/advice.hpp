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
/// What a queue costs at each depth that was predicted, and under `predicted` what it would do.
Json depths_json(const Plan& plan, std::span<const Prediction> predictions);
/// What it costs at the plan's depth and at the usual ones.
Json depths_json(const Plan& plan);

/// The settings that matter side by side, then the words, then what to paste. At most 100 columns.
std::string advice_text(const Advice& advice);

/// The verdict, and what the window measured: samples, and the times of a read, a decode and the
/// consumer's batch. `read_ahead`: that it was measured with.
std::string window_text(const Window& window, const Verdict& verdict, std::uint32_t read_ahead);

}  // namespace weir::report
