#pragma once

#include <vector>

#include "proof/injection/sweep.hpp"

namespace weir::test {

/// The works of row R1, and what they look at. Their files are made by the first call and lie in a
/// folder that is gone at the program's end.
const std::vector<Scenario>& scenarios();
/// By its name.
const Scenario& scenario(const char* name);

/// Lists a folder and reads and decodes its twelve images, one worker, `blank`; whether all rows came
/// whole is asked with `all_whole`.
Scenario reading_scenario(bool all_whole);
/// A stream with every kind of thread a loader has.
Scenario threads_scenario();
/// Sizes measured by three threads.
Scenario measuring_scenario();

}  // namespace weir::test
