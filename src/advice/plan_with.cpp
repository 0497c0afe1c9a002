#include "advice/plan_with.hpp"

#include <algorithm>
#include <cmath>

#include "base/checked.hpp"
#include "options/refuse.hpp"
#include "plan/loader_bytes.hpp"

namespace weir::advice {

plan::Origin origin_with(const Plan& plan, const Setting& setting,
                         std::optional<std::uint64_t> budget_bytes) {
  if (setting.workers == 0) refuse("`workers` = 0: a setting names how many");
  if (plan.decode == Decode::none)
    refuse("`decode` = none: rows are encoded samples; predicting takes decoded images");
  if (plan.sizes.mode != Sizes::fixed)
    refuse("`sizes.mode`: predicting takes images of one shape, `sizes.mode` fixed");
  if (!plan.origin) refuse("a Plan that weir::resolve() did not make predicts nothing");
  auto origin = *plan.origin;
  auto& options = origin.options;
  options.batch = setting.batch;
  options.workers = setting.workers;
  options.queue.max_queue_size = setting.max_queue_size;
  options.io.read_ahead = setting.read_ahead;
  options.memory.budget_bytes = budget_bytes;
  // The bound of a sample stays as it is. Another budget has its own.
  if (budget_bytes == plan.budget_bytes) options.memory.max_sample_bytes = plan.max_sample_bytes;
  return origin;
}

Plan plan_with(const Plan& plan, const Setting& setting,
               std::optional<std::uint64_t> budget_bytes) {
  const auto [options, given] = origin_with(plan, setting, budget_bytes);
  return plan::resolve(options, given);
}

std::uint64_t typical_bytes(const Plan& plan, double encoded_bytes) {
  const auto encoded = static_cast<std::uint64_t>(std::llround(encoded_bytes));
  const auto staging = mul_sat(plan.slabs, plan.slab_bytes);
  const auto arenas = mul_sat(plan.workers, plan::typical_arena(plan));
  const auto ahead = std::min(mul_sat(std::uint64_t{2} * plan.read_ahead, encoded),
                              plan.read_ahead_bytes.value_or(unlimited));
  const auto all = add_sat(add_sat(staging, plan.index_bytes), add_sat(arenas, ahead));
  return std::min(all, plan.ceiling_bytes);
}

}  // namespace weir::advice
