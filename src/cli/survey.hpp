#pragma once

#include <stop_token>

#include "cli/settings.hpp"
#include "weir/source.hpp"

namespace weir::cli {

struct DataNotes;

/// The settings with what a Loader of `source` would measure: the sizes of the images, and with them
/// or with `measured` the bytes of the largest sample. So they are measured once, and alike in every
/// command. Shows progress. Throws as measure_sizes(), and Refusal after a stop request.
Settings surveyed(Settings settings, const AnySource& source, const std::stop_token& stop);

struct Surveyed {
  Settings settings;
  AnySource source;
};
/// DATA as open_data() gives it, and the settings for it. Measures without --read-delay-ms.
Surveyed open_surveyed(const Settings& settings, const std::stop_token& stop = {},
                       DataNotes* notes = nullptr);

}  // namespace weir::cli
