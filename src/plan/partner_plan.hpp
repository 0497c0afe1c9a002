#pragma once

#include <cstdint>

#include "weir/options.hpp"

namespace weir::plan {

/// Throws Error{bad_options} if options.partners is inconsistent, or conflicts with other options.
/// `samples` of the source; 0: unknown.
void check_partners(const Options& options, std::uint64_t samples);

}  // namespace weir::plan
