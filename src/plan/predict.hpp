#pragma once

#include "plan/workload.hpp"
#include "weir/advice.hpp"

namespace weir {

/// The prediction for a plan whose workload was made beforehand: one for many settings of a batch.
Prediction predict(const Plan& plan, const simulation::Workload& work, double encoded_bytes);

}  // namespace weir
