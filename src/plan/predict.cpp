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
  auto outcome = simulation::Simulation(plan, work).run();
  return {.setting = setting_of(plan),
          .samples_per_s = outcome.samples_per_s,
          .consumer_wait = outcome.consumer_wait,
          .data_readiness = outcome.data_readiness,
          .slabs = outcome.slabs,
          .staging_bytes = mul_sat(plan.slabs, plan.slab_bytes),
          .peak_staging_bytes = mul_sat(outcome.slabs, plan.slab_bytes),
          .total_bytes = typical_bytes(plan, encoded_bytes),
          .verdict = std::move(outcome.verdict)};
}

Prediction predict(const Window& window, const Setting& setting, std::uint64_t seed) {
  const auto plan = plan_with(window, setting, window.plan.budget_bytes);
  return predict(plan, simulation::workload_of(window, plan.batch, seed), window.encoded_bytes);
}

}  // namespace weir
