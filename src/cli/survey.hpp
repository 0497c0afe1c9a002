#pragma once

#include <stop_token>

#include "cli/settings.hpp"
#include "weir/plan.hpp"
#include "weir/source.hpp"

namespace weir::cli {

struct DataNotes;

/// The settings with what a Loader of `source` would measure: the sizes of the images, and with them
/// or with `measured` the bytes of the largest sample. So they are measured once, and alike in every
/// command. `weir plan` also measures data of few samples, for Plan::data_ceiling_bytes alone. Shows
/// progress. Throws as measure_sizes(), and Refusal after a stop request.
Settings surveyed(Settings settings, const AnySource& source, const std::stop_token& stop);

/// The plan of surveyed() settings, with data_ceiling_bytes. Throws as weir::resolve().
Plan plan_of(const Settings& settings, std::uint64_t index_bytes, std::uint64_t samples);

struct Surveyed {
  Settings settings;
  AnySource source;
};
/// DATA as open_data() gives it, and the settings for it. Measures without --read-delay-ms.
Surveyed open_surveyed(const Settings& settings, const std::stop_token& stop = {},
                       DataNotes* notes = nullptr);

}  // namespace weir::cli
