#pragma once

#include <cstdint>

#include "weir/plan.hpp"

namespace weir {

/// Throws Error{bad_options} where options.sizes contradict themselves or the others.
void check_sizes(const Options& options);

/// What batches come to whose images keep their own sizes. Pure; walks the first epoch.
struct SizeFigures {
  SizePlan plan;
  std::uint64_t most_slab_bytes = 0;  ///< whatever the order
  std::uint64_t index_bytes = 0;      ///< of sizes and of the window of buckets
};
SizeFigures size_figures(const Options& options);

}  // namespace weir
