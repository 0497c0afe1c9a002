#include <utility>

#include "advice/plan_with.hpp"
#include "advice/simulation.hpp"
#include "advice/workload.hpp"
#include "base/checked.hpp"

namespace weir {

Setting setting_of(const Plan& plan) {
  return {.max_queue_size = plan.max_queue_size,
          .workers = plan.workers,
          .read_ahead = plan.read_ahead,
          .batch = plan.batch};
}

Prediction advice::predict(const Plan& plan, const Workload& work, double encoded_bytes) {
  auto prediction = Simulation(plan, work).run();
  prediction.staging_bytes = mul_sat(plan.slabs, plan.slab_bytes);
  prediction.peak_staging_bytes = mul_sat(prediction.slabs, plan.slab_bytes);
  prediction.total_bytes = typical_bytes(plan, encoded_bytes);
  return prediction;
}

Prediction predict(const Interval& interval, const Setting& setting, std::uint64_t seed,
                   std::stop_token stop) {
  const auto plan = advice::plan_with(interval.plan, setting, interval.plan.budget_bytes);
  const auto work = advice::workload_of(interval, plan.batch, seed, std::move(stop));
  return advice::predict(plan, work, interval.encoded_bytes);
}

}  // namespace weir
