#pragma once

#include <string>

#include "cli/settings.hpp"

namespace weir::cli {

/// Reads NAME[=SOURCE][,key=value…][,optional] and adds the plane to `settings`. Throws
/// std::invalid_argument that says what the text must be.
void add_plane(const std::string& text, Settings& settings);

/// Reads SOURCE[,ext=…][,missing=…] into `settings`. Throws as add_plane().
void add_annotation(const std::string& text, Settings& settings);

}  // namespace weir::cli
