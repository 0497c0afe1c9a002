#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "report/json.hpp"
#include "weir/profile.hpp"

namespace weir::report {

/// Places in `steps` that a reader is shown: all of a few, else the first three, the one that held
/// most and the last.
std::vector<std::size_t> steps_worth_showing(std::span<const StepUse> steps);

/// `names`: of what was watched. `begun`: steps there were, kept or not.
std::string profile_text(std::span<const std::string> names, std::span<const StepUse> steps,
                         std::uint64_t begun);
Json profile_json(std::span<const std::string> names, std::span<const StepUse> steps,
                  std::uint64_t begun);

}  // namespace weir::report
