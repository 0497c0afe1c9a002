#pragma once

#include <cstdint>
#include <functional>

#include "weir/options.hpp"

namespace weir::plan {

/// Who says which rank this process is. `automatic`: the launchers whose variables are set.
enum class Launcher : std::uint8_t { none, automatic, torchrun, openmpi, slurm };

/// The value of an environment variable, or null.
using Variables = std::function<const char*(const char* name)>;

/// Ranks::torchrun() and the others, with these variables.
Ranks ranks_of(Launcher launcher, const Variables& variables);
/// The same with the environment.
Ranks ranks_of(Launcher launcher);

}  // namespace weir::plan
