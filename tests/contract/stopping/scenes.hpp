#pragma once

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "contract/stopping/gate.hpp"
#include "contract/stopping/process.hpp"
#include "weir/weir.hpp"

namespace weir::test {

/// A loader in one of the states in which it can be told to stop, reached when this is made.
struct Scene {
  std::unique_ptr<Loader> loader;
  std::unique_ptr<Stream> stream;
  std::vector<Batch> held;
  /// What weir cannot interrupt waits here; null where there is nothing of the kind.
  std::shared_ptr<Gate> gate;
  std::thread consumer;  ///< blocked in a call
};

/// The states, by name. src/engine/README.md lists them.
struct NamedScene {
  std::string name;
  Scene (*make)();
};
const std::vector<NamedScene>& scenes();

}  // namespace weir::test
