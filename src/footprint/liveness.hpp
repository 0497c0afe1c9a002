#pragma once

#include <cstdint>
#include <vector>

#include "base/checked.hpp"
#include "footprint/layer_rules.hpp"

namespace weir {

/// Bytes that grow with the images that go through at once. Sticks at the maximum.
struct Bytes {
  std::uint64_t an_image = 0, in_common = 0;

  std::uint64_t of(std::uint64_t images) const noexcept {
    return add_sat(mul_sat(an_image, images), in_common);
  }
  friend Bytes operator+(const Bytes& a, const Bytes& b) noexcept {
    return {add_sat(a.an_image, b.an_image), add_sat(a.in_common, b.in_common)};
  }
  /// `b` is a part of `a`.
  friend Bytes operator-(const Bytes& a, const Bytes& b) noexcept {
    return {a.an_image - b.an_image, a.in_common - b.in_common};
  }
};

/// A forward and a backward pass through a model, whatever the batch: what is alive at each moment
/// besides parameters, buffers, gradients, state and the input batch.
///
/// Memory of values: each layer's output, unless it is a view of its input or in place, and a copy of
/// the input, where that is of another type. A value is alive from the layer that makes it to the last
/// one that reads it or, where some layer keeps it for its gradient, until the backward pass has
/// passed the first such layer. What lies before the first layer with parameters has no gradient and
/// keeps nothing. The output of the model is the caller's, for the loss, and stays.
struct Liveness {
  std::vector<LayerRule> rules;
  std::vector<Bytes> kept;  ///< by the layer that made it
  Bytes input_copy_kept;
  Bytes all_kept;
  std::vector<Bytes> moments;             ///< of training
  std::vector<Bytes> prediction_moments;  ///< nothing kept
};

/// Throws as footprint() does.
Liveness liveness_of(const Model& model);

/// The largest of `moments` with so many images at once.
std::uint64_t most_of(const std::vector<Bytes>& moments, std::uint64_t images) noexcept;

}  // namespace weir
