#pragma once

#include "engine/context.hpp"
#include "engine/sample.hpp"

namespace weir::engine {

// Rows of a loader that has a cache.

/// Takes the sample's bytes or its row from the cache. False if the sample must be read.
bool find_kept(Core& core, Sample& sample) noexcept;
/// Whether the sample's row is in the cache, so that decoding is unnecessary.
bool has_kept_row(const Core& core, const Sample& sample) noexcept;
/// Keeps the encoded sample or the decoded row for later epochs. `need`: of its decode.
void keep(const Shared& shared, const Sample& sample, const codec::MemoryNeed& need) noexcept;

}  // namespace weir::engine
