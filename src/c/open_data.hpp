#pragma once

#include <string>

#include "weir/options.hpp"
#include "weir/source.hpp"

namespace weir::c {

/// The source for a text of data, as the program takes it. Throws Error{source_failed}, and
/// std::invalid_argument for a malformed text.
AnySource open_data(const std::string& data, const Options& options);

}  // namespace weir::c
