#pragma once

#include <cstdint>
#include <vector>

#include "base/checked.hpp"
#include "footprint/layer_rules.hpp"

namespace weir::footprint_detail {

/// Bytes that depend on the size of the micro-batch. Saturates at the maximum.
struct Bytes {
  std::uint64_t an_image = 0, in_common = 0;

  std::uint64_t of(std::uint64_t images) const noexcept {
    return add_sat(mul_sat(an_image, images), in_common);
  }
  friend Bytes operator+(const Bytes& a, const Bytes& b) noexcept {
    return {add_sat(a.an_image, b.an_image), add_sat(a.in_common, b.in_common)};
  }
  /// `b` must be a part of `a`.
  friend Bytes operator-(const Bytes& a, const Bytes& b) noexcept {
    return {a.an_image - b.an_image, a.in_common - b.in_common};
  }
};

/// The live memory at each moment of a forward and a backward pass, without parameters, buffers,
/// the sum of gradients, optimizer state and the input batch.
///
/// It consists of the outputs of layers, except views and in-place outputs, and of a copy of the
/// input if its type differs. A value is live from the layer that produces it to the last layer
/// that reads it. If a layer keeps it for its gradient, it is live until the backward pass has
/// finished the first such layer. Layers before the first one with parameters have no gradient and
/// keep nothing. The output of the model is live throughout, because the caller needs it for the
/// loss.
struct Liveness {
  std::vector<LayerRule> rules;
  std::vector<Bytes> kept;  ///< by producing layer
  Bytes input_copy_kept;
  Bytes all_kept;
  std::vector<Bytes> moments;  ///< for training
  /// The backward pass from the second micro-batch on: the new gradient of a layer's parameters
  /// exists beside the sum of the earlier ones until it is added.
  std::vector<Bytes> later_moments;
  std::vector<Bytes> prediction_moments;  ///< for prediction, where nothing is kept
};

/// Throws as footprint() does.
Liveness liveness_of(const Model& model);

/// The largest of `moments` for this size of a micro-batch.
std::uint64_t most_of(const std::vector<Bytes>& moments, std::uint64_t images) noexcept;

}  // namespace weir::footprint_detail
