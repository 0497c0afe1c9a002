#pragma once

#include <cstdint>

#include "cli/settings.hpp"
#include "weir/source.hpp"

namespace weir::cli {

/// What the SOURCE of a plane is.
enum class PlaneFiles : std::uint8_t {
  folder,  ///< its files have the names of the images
  list,    ///< a text file with one file on each line, for each sample of DATA
};

/// `source` with the planes of --plane whose files are `files`. Throws Error that names the option.
/// For `probe`, a sample without a plane that it must have is a fault and no Error.
AnySource with_planes(AnySource source, const Settings& settings, PlaneFiles files);

/// `source` with the annotations of --annotation. Shards have theirs already. Throws as with_planes().
AnySource with_annotation(AnySource source, const Settings& settings);

/// Throws Error if DATA lacks a plane of --plane.
void check_planes(const AnySource& source, const Settings& settings);

}  // namespace weir::cli
