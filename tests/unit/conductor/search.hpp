#pragma once

#include <cstdint>
#include <string>

#include "unit/conductor/scenario.hpp"

namespace weir::test {

/// What a search went through.
struct Searched {
  std::uint64_t states = 0, transitions = 0;
  double schedules = 0;                                 ///< ways from the beginning to an end
  std::uint64_t longest = 0;                            ///< steps of the longest one
  std::uint64_t parked = 0, cancelled = 0, faulty = 0;  ///< states with a parked sample, and so on
  std::uint64_t held_up = 0;                            ///< somebody waits, a piece is held
  std::string broken;                                   ///< empty: every law held in every state
};

/// Every schedule of a small world, depth first, by running the model again from the beginning for
/// each alternative. A state that was met before is not gone through again: what follows from it is
/// known. So a state that leads back to itself is found as well: a stream that may never end.
/// Gives up with a message beyond `most_states`. Scenarios without a neighbour only.
Searched search(const Scenario& scenario, std::uint64_t most_states);

}  // namespace weir::test
