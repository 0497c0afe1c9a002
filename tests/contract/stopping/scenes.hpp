#pragma once

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "contract/stopping/gate.hpp"
#include "contract/stopping/process.hpp"
#include "weir/weir.hpp"

namespace weir::test {

/// A loader in one of the states in which it can be stopped. The constructor reaches the state.
struct Scene {
  std::unique_ptr<Loader> loader;
  std::unique_ptr<Stream> stream;
  std::vector<Batch> held;
  /// weir cannot interrupt the work that waits here. Null if there is no such work.
  std::shared_ptr<Gate> gate;
  std::thread consumer;  ///< blocked in a call
  /// The CPU time of a whole decode, and others_cpu_ms() before the scene's. 0: no decode.
  double decode_ms = 0, begun_ms = 0;
};

/// The states by name, as listed in src/engine/README.md.
struct NamedScene {
  std::string name;
  Scene (*make)();
};
const std::vector<NamedScene>& scenes();

}  // namespace weir::test
