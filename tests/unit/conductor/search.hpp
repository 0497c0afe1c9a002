#pragma once

#include <cstdint>
#include <string>

#include "unit/conductor/scenario.hpp"

namespace weir::test {

/// The results of a search.
struct Searched {
  std::uint64_t states = 0, transitions = 0;
  double schedules = 0;                                 ///< paths from the beginning to an end
  std::uint64_t longest = 0;                            ///< steps of the longest path
  std::uint64_t parked = 0, cancelled = 0, faulty = 0;  ///< states with a parked sample, and so on
  std::uint64_t held_up = 0;                            ///< a sample waits, and a piece is held
  std::string broken;                                   ///< empty: every law held in every state
};

/// Explores every schedule of a small model, depth first, by running the model again from the
/// beginning for each alternative. A state that was met before is not explored again, because its
/// results are known. A state that leads back to itself is detected, too: such a stream may never
/// end. Stops with a message beyond `most_states`. Only for scenarios without a neighbour.
Searched search(const Scenario& scenario, std::uint64_t most_states);

}  // namespace weir::test
