#pragma once

#include <vector>

#include "proof/injection/sweep.hpp"

namespace weir::test {

/// The scenarios of row R1 and their data. The first call makes the files in a folder that is
/// removed at the program's end.
const std::vector<Scenario>& scenarios();
/// A scenario by its name.
const Scenario& scenario(const char* name);

/// Lists a folder and reads and decodes its twelve images, with one worker and `blank`. With
/// `all_whole` it requires that all rows are complete.
Scenario reading_scenario(bool all_whole);
/// A stream with every kind of thread that a loader has.
Scenario threads_scenario();
/// Three threads measure sizes.
Scenario measuring_scenario();

}  // namespace weir::test
