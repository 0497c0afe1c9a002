#pragma once

#include <cstdint>

#include "weir/plan.hpp"

namespace weir::plan {

/// Throws Error{bad_options} if options conflict with Decode::none.
void check_encoded(const Options& options);
/// Throws Error{bad_options} if options.sizes is inconsistent, conflicts with other options, or is of another
/// number of samples. `samples`: of the source; 0: unknown.
void check_sizes(const Options& options, std::uint64_t samples);

/// Tries a size function at so many steps of the first epoch. With Sizes::fixed. Throws Error{bad_options}.
void try_steps(const Options& options, std::uint64_t steps);
/// Tries a size function at the first steps of these epochs, at most a thousand. Throws
/// Error{bad_options}.
void try_epochs(const Options& options, std::uint64_t first, std::uint64_t end);

/// Sizes of batches with images of their own sizes. Pure. The computation visits the first epoch.
struct SizeFigures {
  SizePlan plan;
  std::uint64_t most_slab_bytes = 0;  ///< maximum over all orders
  std::uint64_t index_bytes = 0;      ///< index of sizes and window of buckets
};
SizeFigures size_figures(const Options& options, const Ranks& ranks);

}  // namespace weir::plan
