#pragma once

#include "base/memory_room.hpp"
#include "weir/memory.hpp"

namespace weir {

/// weir::auto_budget of a room that was read. Pure.
AutoBudget auto_budget(const MemoryRoom& room, double share);

}  // namespace weir
