#include "plan/loader_bytes.hpp"

#include <cmath>

#include "base/checked.hpp"
#include "buffer/slab.hpp"
#include "plan/text.hpp"

namespace weir {
std::uint64_t slab_record_bytes(std::uint32_t rows, bool sizes_differ) {
  // The table of the stats has one element more than slabs, so it can be twice as large.
  constexpr std::uint64_t stats = 2 * sizeof(std::int64_t);
  return buffer::SlabPool::record_bytes(rows, sizes_differ) + stats;
}

std::uint64_t typical_arena(const Plan& plan) {
  return add_sat(typical_arena_bytes + (plan.whole_images ? typical_image_bytes : 0),
                 plan.transform_bytes);
}

Plan plan_with(const Window& window, const Setting& setting, std::uint64_t budget_bytes) {
  const auto& had = window.plan;
  if (setting.workers == 0) refuse("workers = 0: a setting names how many");
  if (had.sizes.mode != Sizes::fixed)
    refuse("sizes.mode: predicting takes images of one shape, sizes.mode fixed");
  Options options;
  options.shape = had.shape;
  options.pixels = had.pixels;
  options.fit = Fit::stretch;  // with this fit, short_side has no bound
  options.batch = setting.batch;
  options.side_bytes = had.side_bytes;
  options.transform.scratch_bytes = had.transform_bytes;
  if (had.whole_images) options.transform.apply = [](DecodedSample&) {};  // never called
  options.workers = setting.workers;
  options.queue.max_queue_size = setting.max_queue_size;
  options.queue.max_leases = had.max_leases;
  if (had.max_queue_bytes != unlimited) options.queue.max_bytes = had.max_queue_bytes;
  options.io.read_ahead = setting.read_ahead;
  options.memory.budget_bytes = budget_bytes;
  options.memory.alignment = had.alignment;
  if (budget_bytes == had.budget_bytes) options.memory.max_sample_bytes = had.max_sample_bytes;
  if (const auto& cache = had.cache; cache.keep != Cache::nothing && cache.bytes != 0)
    options.cache = {cache.keep, budget_bytes == unlimited ? cache.bytes : cache.requested};
  auto plan = resolve(options, had.index_bytes - had.record_bytes, 0,
                      had.cache.table_bytes / sizeof(void*));
  plan.order = had.order;  // its bytes are part of the index
  return plan;
}

std::uint64_t typical_bytes(const Plan& plan, double encoded_bytes) {
  const auto encoded = static_cast<std::uint64_t>(std::llround(encoded_bytes));
  const auto staging = mul_sat(plan.slabs, plan.slab_bytes);
  const auto arenas = mul_sat(plan.workers, typical_arena(plan));
  const auto ahead = std::min(mul_sat(2 * plan.read_ahead, encoded), plan.read_ahead_bytes);
  const auto all = add_sat(add_sat(staging, plan.index_bytes), add_sat(arenas, ahead));
  return std::min(all, plan.ceiling_bytes);
}

}  // namespace weir
