#pragma once

#include <cstdint>

#include "weir/options.hpp"

namespace weir::plan {

/// Throws Error{bad_options} if options.cache is inconsistent, or conflicts with other options.
void check_cache(const Options& options);

/// Whether a row depends on its sample alone. Pure.
bool may_keep_decoded(const Options& options);

/// `room`: bytes that everything else leaves, `max_sample_bytes` among it. `samples` in the source;
/// 0: unknown. `row_bytes`: a typical row. Pure.
CachePlan plan_cache(const Options& options, std::uint64_t samples, std::uint64_t room,
                     std::uint64_t max_sample_bytes, std::uint64_t row_bytes);

}  // namespace weir::plan
