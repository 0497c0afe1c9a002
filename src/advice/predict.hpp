#pragma once

#include "advice/workload.hpp"
#include "weir/advice.hpp"

namespace weir::advice {

/// The prediction for a plan. The workload is shared by all settings with the same batch size.
Prediction predict(const Plan& plan, const Workload& work, double encoded_bytes);

}  // namespace weir::advice
