#pragma once

#include <cstddef>
#include <span>

#include "engine/context.hpp"
#include "engine/row_outcome.hpp"
#include "engine/row_plans.hpp"

namespace weir::engine {

/// Calls the user's transform for a row whose samples are decoded by `plans`, in `scratch`. Proceeds, or
/// fails with what the transform throws.
RowOutcome transform_row(const Row& row, const RowPlans& plans, const Shared& shared,
                         std::span<std::byte> scratch);

}  // namespace weir::engine
