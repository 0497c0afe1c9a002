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

#ifdef WEIR_SHARDS
/// Searches tar shards for members by libarchive.
Scenario searching_shards_scenario();
/// The scenario in a process of one CPU, where a search starts no thread.
Scenario on_one_cpu(const Scenario& scenario);
/// Makes an index of tar shards, and compares their checksums.
Scenario indexing_shards_scenario();
/// Reads tar shards by their index and by that of DALI, without libarchive. With `all_whole` it requires that nothing is lost.
Scenario reading_shards_scenario(bool all_whole);
/// Reads each of the six samples once in each epoch.
Scenario epochs_of_shards(std::uint64_t epochs);
/// Packs images into shards. With `all_whole` it requires that the first run completes the pack.
Scenario packing_scenario(bool all_whole);
/// Goes on with a pack.
Scenario going_on_scenario(bool all_whole);
#endif

}  // namespace weir::test
