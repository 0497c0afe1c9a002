#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "cli/settings.hpp"

namespace weir::cli {

/// Reads NAME[=SOURCE][,key=value…][,optional] of `command` and adds the plane to `settings`. Throws
/// std::invalid_argument that says what the text must be.
void add_plane(const std::string& text, Settings& settings, Command command);

/// Reads SOURCE[,ext=…][,missing=…] into `settings`. Throws as add_plane().
void add_annotation(const std::string& text, Settings& settings);

/// `values`, one for all channels of `format` or one for each. Throws std::invalid_argument.
Fill fill_of(std::span<const std::uint16_t> values, PixelFormat format);

}  // namespace weir::cli
