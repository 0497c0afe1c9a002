#include "plan/predict.hpp"

#include <utility>

#include "base/checked.hpp"
#include "plan/loader_bytes.hpp"
#include "plan/simulation.hpp"

namespace weir {

Setting setting_of(const Plan& plan) {
  return {.max_queue_size = plan.max_queue_size,
          .workers = plan.workers,
          .read_ahead = plan.read_ahead,
          .batch = plan.batch};
}

Prediction predict(const Plan& plan, const simulation::Workload& work, double encoded_bytes) {
  auto prediction = simulation::Simulation(plan, work).run();
  prediction.staging_bytes = mul_sat(plan.slabs, plan.slab_bytes);
  prediction.peak_staging_bytes = mul_sat(prediction.slabs, plan.slab_bytes);
  prediction.total_bytes = typical_bytes(plan, encoded_bytes);
  return prediction;
}

Prediction predict(const Interval& interval, const Setting& setting, std::uint64_t seed,
                   std::stop_token stop) {
  const auto plan = plan_with(interval, setting, interval.plan.budget_bytes);
  const auto work = simulation::workload_of(interval, plan.batch, seed, nullptr, std::move(stop));
  return predict(plan, work, interval.encoded_bytes);
}

}  // namespace weir
