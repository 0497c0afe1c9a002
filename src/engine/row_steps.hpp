#pragma once

#include <cstddef>
#include <span>

#include "engine/row_memory.hpp"
#include "engine/row_outcome.hpp"
#include "engine/row_plan.hpp"
#include "engine/row_times.hpp"

namespace weir::engine {

// The first and the last step of a row; row_plan.hpp has the one between.

/// Reads the sample of `memory`: its bytes are admitted before the source fills them. Proceeds with the
/// bytes there, parks, or fails.
RowOutcome read_row(Core& core, RowMemory& memory, RowTimes& times);

/// Writes the row as it was planned: decodes, fills the side bytes, calls the user's transform. Proceeds
/// with pixels, side bytes and label in the sample's slot and its status set, fails, or is abandoned.
/// `scratch`: plan.need.scratch bytes.
RowOutcome write_row(const Shared& shared, const RowPlan& plan, codec::Decoder& decoder,
                     std::span<std::byte> scratch, Sample& sample, RowTimes& times);

}  // namespace weir::engine
