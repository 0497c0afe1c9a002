#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "report/json.hpp"
#include "weir/profile.hpp"

namespace weir::report {

/// Indices in `steps` to show: all if they are few, otherwise the first three, the one with the
/// highest peak and the last.
std::vector<std::size_t> steps_worth_showing(std::span<const StepUse> steps);

/// `names` are those of the watched objects. `begun` is the number of all steps, kept or not.
std::string profile_text(std::span<const std::string> names, std::span<const StepUse> steps,
                         std::uint64_t begun);
Json profile_json(std::span<const std::string> names, std::span<const StepUse> steps,
                  std::uint64_t begun);

}  // namespace weir::report
