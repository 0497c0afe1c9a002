#pragma once

#include <cstdint>
#include <stop_token>

#include "cli/settings.hpp"
#include "data/open_data.hpp"
#include "weir/plan.hpp"
#include "weir/source.hpp"

namespace weir::cli {

/// How DATA is opened, and what hints say. What is about --plane and --annotation is of tar shards.
data::How how_to_open(const Settings& settings, const std::stop_token& stop);

/// The source for DATA with the planes and the annotations of other files, and the delay of --read-delay-ms.
/// Throws as data::open(), also if there are no samples. A stop request also ends the delays of reads.
AnySource open_data(const Settings& settings, std::stop_token stop = {},
                    data::Notes* notes = nullptr);

/// The same in two steps. The first opens the source without a delay, the second adds the delay.
AnySource open_undelayed(const Settings& settings, const std::stop_token& stop = {},
                         data::Notes* notes = nullptr);
AnySource delayed(AnySource source, const Settings& settings, std::stop_token stop = {});

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
                       data::Notes* notes = nullptr);

}  // namespace weir::cli
