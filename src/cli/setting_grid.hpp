#pragma once

#include "report/json.hpp"
#include "weir/advice.hpp"

namespace weir::cli {

/// Predictions for the controls of the page: `max_queue_size`, `workers`, `read_ahead` and
/// `consumer_s` are the values of each control, and `points` has a prediction for each combination,
/// the last control fastest; `now` is the index of the settings now. null: the budget does not hold
/// that setting. The predictions are shorter than those of the advice, and 1 % less precise.
report::Json setting_grid(const Window& window, const Advice& advice);

}  // namespace weir::cli
