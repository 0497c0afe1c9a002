#include "plan/loader_bytes.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "buffer/slab_pool.hpp"

namespace weir::plan {
std::uint64_t slab_record_bytes(std::uint32_t rows, bool vary) {
  // The table of the stats has one element more than slabs, so it can be twice as large.
  constexpr std::uint64_t stats = 2 * sizeof(std::int64_t);
  return buffer::SlabPool::record_bytes(rows, vary) + stats;
}

std::uint64_t typical_arena(const Plan& plan) {
  const auto each = typical_arena_bytes + (plan.whole_images ? typical_image_bytes : 0);
  return std::min(add_sat(mul_sat(1 + std::uint64_t{plan.partners}, each), plan.transform_bytes),
                  plan.max_sample_bytes);
}

std::uint64_t typical_read(const Plan& plan) {
  return std::min(typical_arena_bytes, plan.max_sample_bytes);
}

}  // namespace weir::plan
