#pragma once

#include "base/machine/memory_room.hpp"
#include "weir/memory.hpp"

namespace weir::plan {

/// weir::auto_budget for a given reading of the available memory. Pure.
AutoBudget auto_budget(const MemoryRoom& room, double share);

}  // namespace weir::plan
