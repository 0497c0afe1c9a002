#pragma once

#include <cstdint>

#include "weir/options.hpp"

namespace weir {

/// Throws Error{bad_options} where options.cache contradicts itself or the others.
void check_cache(const Options& options);

/// `room`: what all else leaves; `samples` in the source, 0: not known. Pure.
CachePlan plan_cache(const Options& options, std::uint64_t samples, std::uint64_t room) noexcept;

}  // namespace weir
