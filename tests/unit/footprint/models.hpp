#pragma once

#include <utility>

#include "weir/footprint.hpp"

namespace weir::test {

/// A model of sums only, as in a published calculation by hand.
inline Model published() {
  Model model;
  model.input = {1, 180, 50};
  model.layers.push_back(
      {layer::Counts{.parameters = 19'072'984, .activations = 532'752, .kept = 2}});
  model.optimizer = Optimizer::momentum;
  model.batch = 128;
  return model;
}

inline Layer conv3(std::uint64_t channels) {
  return {layer::Conv2d{.out_channels = channels, .kernel = {3, 3}, .padding = {1, 1}}};
}
inline Layer function(layer::Function which, bool in_place = false) {
  return {layer::Activation{which, in_place}};
}
inline Layer linear(std::uint64_t features) { return {layer::Linear{.out_features = features}}; }

/// A chain of `layers` with `features` input values.
inline Model dense(std::uint64_t features, std::vector<Layer> layers) {
  Model model;
  model.input = {features};
  model.layers = std::move(layers);
  return model;
}

/// A network whose memory was measured with libtorch 1.13 on a CPU, on the second step.
inline Model measured() {
  Model model;
  model.input = {3, 32, 32};
  model.layers = {conv3(64), function(layer::Function::relu), {layer::Flatten{}}, linear(128)};
  model.batch = 16;
  return model;
}

}  // namespace weir::test
