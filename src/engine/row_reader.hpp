#pragma once

#include "engine/row_memory.hpp"
#include "engine/row_outcome.hpp"
#include "engine/row_times.hpp"

namespace weir::engine {

/// Reads the sample of `memory`: its bytes are admitted before the source fills them. Proceeds with the
/// bytes there, parks, or fails.
RowOutcome read_row(Core& core, RowMemory& memory, RowTimes& times);

}  // namespace weir::engine
