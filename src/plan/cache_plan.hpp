#pragma once

#include <cstdint>

#include "weir/options.hpp"

namespace weir {

/// Throws Error{bad_options} if options.cache is inconsistent, or conflicts with other options.
void check_cache(const Options& options);

/// `room`: bytes that everything else leaves. `samples` in the source; 0: unknown. Pure.
CachePlan plan_cache(const Options& options, std::uint64_t samples, std::uint64_t room) noexcept;

}  // namespace weir
