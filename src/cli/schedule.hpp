#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "options/size_schedule.hpp"

namespace weir::cli {

/// Reads a schedule, or a FILE with a part on each line. Throws std::invalid_argument that names the part, or
/// Error if the file cannot be read.
std::vector<options::SizeChange> read_schedule(const std::string& text);

/// Sets sizes.size to the schedule. What bounds the sizes is their largest, unless it is `bounded`. Throws
/// std::invalid_argument if a size is beyond that.
void apply_schedule(const std::vector<options::SizeChange>& schedule, bool bounded,
                    Options& options);

/// The largest size that these epochs reach; without `epochs`, of all.
ImageSize largest_of(const std::vector<options::SizeChange>& schedule,
                     std::optional<std::uint64_t> epochs);

}  // namespace weir::cli
