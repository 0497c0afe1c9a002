#pragma once

#include "weir/options.hpp"

namespace weir::options {

/// Checks each option by its row: its value, and whether it has a meaning with the others. Throws
/// Error{bad_options} that names option, value and bound.
void check(const Options& options);

}  // namespace weir::options
