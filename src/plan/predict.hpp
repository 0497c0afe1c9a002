#pragma once

#include "plan/workload.hpp"
#include "weir/advice.hpp"

namespace weir {

/// The prediction for a plan. The workload is shared by all settings with the same batch size.
Prediction predict(const Plan& plan, const simulation::Workload& work, double encoded_bytes);

}  // namespace weir
