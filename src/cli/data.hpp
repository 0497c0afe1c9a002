#pragma once

#include <stop_token>
#include <vector>

#include "cli/settings.hpp"
#include "source/folder_walk.hpp"
#include "weir/source.hpp"

namespace weir::cli {

/// The source that DATA and --ext name, behind --read-delay-ms. Throws Error{source_failed},
/// std::invalid_argument for a malformed synthetic:, or Refusal for a kind not built yet. Reads are no
/// longer delayed once `stop` is asked for. `unreached` is given what of a folder could not be looked at.
AnySource open_data(const Settings& settings, std::stop_token stop = {},
                    std::vector<source::Unreached>* unreached = nullptr);

/// The same in two steps: without --read-delay-ms, and behind it.
AnySource open_undelayed(const Settings& settings,
                         std::vector<source::Unreached>* unreached = nullptr);
AnySource delayed(AnySource source, const Settings& settings, std::stop_token stop = {});

}  // namespace weir::cli
