#pragma once

#include <cstddef>
#include <span>

#include "engine/row_memory.hpp"
#include "engine/row_outcome.hpp"
#include "engine/row_plan.hpp"
#include "engine/row_times.hpp"

namespace weir::engine {

// The first and the last step of a row. row_plan.hpp declares the step between them.

/// Reads the sample of `memory`. Its bytes are admitted before the source writes them. Proceeds
/// when all bytes are read, parks, or fails.
RowOutcome read_row(Core& core, RowMemory& memory, RowTimes& times);

/// Writes the row as planned: decodes, fills the side bytes, calls the user's transform. Proceeds,
/// fails, or is abandoned. When it proceeds, the sample's slot has pixels, side bytes and label,
/// and its status is set. `scratch`: plan.need().scratch bytes.
RowOutcome write_row(const Shared& shared, const RowPlan& plan, codec::Decoder& decoder,
                     std::span<std::byte> scratch, Sample& sample, RowTimes& times);

}  // namespace weir::engine
