#pragma once

#include "engine/context.hpp"
#include "engine/sample.hpp"

namespace weir::engine {

// Rows of a loader that keeps samples from epoch to epoch.

/// Takes the sample's bytes, or its row, from the cache. False: it must be read.
bool find_kept(Core& core, Sample& sample) noexcept;
/// The sample's row is in the cache: it need not be decoded.
bool has_kept_row(const Core& core, const Sample& sample) noexcept;
/// Keeps what was read, or what came of it, for later epochs.
void keep(const Shared& shared, const Sample& sample) noexcept;

}  // namespace weir::engine
