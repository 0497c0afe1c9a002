#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weir/export.hpp"
#include "weir/model.hpp"

namespace weir {

/// One layer of a Footprint. Values are counted for one image, bytes for the micro-batch that goes
/// through at once.
struct LayerFootprint {
  std::string name;                   ///< as the model has it; may be empty
  std::string kind;                   ///< "Conv2d"
  Dims output;                        ///< of one image
  std::uint64_t parameters = 0;       ///< learned values
  std::uint64_t buffers = 0;          ///< held with them, not learned: running means and variances
  std::uint64_t activations = 0;      ///< new values an image gives; none in place and for a view
  std::uint64_t parameter_bytes = 0;  ///< of `parameters`
  std::uint64_t buffer_bytes = 0;     ///< of `buffers`
  std::uint64_t gradient_bytes = 0;   ///< one value a parameter
  std::uint64_t optimizer_bytes = 0;  ///< state_values() a parameter
  /// What this layer made that somebody needs in the backward pass: its output, where it or the next
  /// layer keeps it, and masks, indices, statistics of its own.
  std::uint64_t kept_bytes = 0;
};

/// Bytes of training, by account.
struct TrainingBytes {
  std::uint64_t parameters = 0;  ///< learned values
  std::uint64_t buffers = 0;     ///< held with them, not learned
  std::uint64_t gradients = 0;   ///< one value a parameter
  std::uint64_t optimizer = 0;   ///< its state
  std::uint64_t kept = 0;        ///< activations kept for the backward pass, of the micro-batch
  std::uint64_t input = 0;       ///< the whole batch, as it was handed over
  /// The sum: what is held when the forward pass has ended, from the second step on. In the first
  /// step there are no gradients yet, nor the optimizer's state.
  std::uint64_t total = 0;
  /// The most at any moment: `total` or, somewhere in the two passes, somewhat more: a layer's input
  /// and output side by side, or, as the backward pass comes by, the gradients of both beside what
  /// is still kept. Work space of a library's kernels is not in it.
  std::uint64_t peak = 0;
};

/// Bytes of prediction alone: no gradients, no optimizer, nothing kept.
struct PredictionBytes {
  std::uint64_t parameters = 0;   ///< learned values
  std::uint64_t buffers = 0;      ///< held with them, not learned
  std::uint64_t input = 0;        ///< the batch, as it was handed over
  std::uint64_t activations = 0;  ///< most at once: input and output of one layer
  std::uint64_t total = 0;        ///< the sum
};

/// What a model takes, as footprint() works it out.
struct Footprint {
  std::uint64_t batch = 0;             ///< images
  std::uint64_t micro_batch = 0;       ///< images at once
  std::uint64_t parameters = 0;        ///< values, of all layers
  std::uint64_t buffers = 0;           ///< values, likewise
  std::uint64_t activations = 0;       ///< values of one image, likewise
  std::vector<LayerFootprint> layers;  ///< as the model's
  /// Of `training.kept`: the input, converted to the activations' type for a layer that keeps it.
  std::uint64_t input_copy_bytes = 0;
  TrainingBytes training;      ///< with the backward pass and the optimizer
  PredictionBytes prediction;  ///< of a micro-batch at a time
};

/// What training `model` on `model.batch` images, `model.micro_batch` of them at once, takes, before
/// anything runs. The model's own bytes: no rounding by an allocator, no library's work space.
///
/// With P parameters, s values of optimizer state a parameter, A kept values an image, m images at
/// once and a batch of B images of I values, all of e bytes: total = (2 + s)·P·e + A·m·e + B·I·e.
/// Which values are kept is said by PyTorch's tools/autograd/derivatives.yaml: what a layer's gradient
/// is a formula of. A value that two layers keep is one value. Formulas and sources by kind of layer:
/// docs/footprint.md.
///
/// Pure. Throws Error{bad_options} naming layer, field, value and bound, where the layers do not fit
/// each other or a size passes 2^64.
WEIR_API Footprint footprint(const Model& model);

/// The largest batch of which training's peak is at most `bytes`, `model.micro_batch` images at once
/// (0: all of them). 0 where not even one image fits. Pure. Throws as footprint() does.
WEIR_API std::uint64_t largest_batch(const Model& model, std::uint64_t bytes);
/// The most images at once, at most model.batch, with which a batch of `model.batch` fits `bytes`. 0
/// where not even one at a time does. Pure. Throws as footprint() does.
WEIR_API std::uint64_t largest_micro_batch(const Model& model, std::uint64_t bytes);

}  // namespace weir
