#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weir/export.hpp"
#include "weir/model.hpp"

namespace weir {

/// One layer of a Footprint. Counts of values are for one image, bytes are for one micro-batch.
struct LayerFootprint {
  std::string name;               ///< name in the model; may be empty
  std::string kind;               ///< type of the layer, for example "Conv2d"
  Dims output;                    ///< shape of the output for one image
  std::uint64_t parameters = 0;   ///< number of learned values
  std::uint64_t buffers = 0;      ///< number of other stored values: running means and variances
  std::uint64_t activations = 0;  ///< new values per image; none for in-place layers and views
  std::uint64_t parameter_bytes = 0;  ///< bytes of `parameters`
  std::uint64_t buffer_bytes = 0;     ///< bytes of `buffers`
  std::uint64_t gradient_bytes = 0;   ///< one value per parameter
  std::uint64_t optimizer_bytes = 0;  ///< state_values() per parameter
  /// Bytes that this layer adds to the memory for the backward pass: its output, if this layer or
  /// the next one keeps it, and its own masks, indices and statistics.
  std::uint64_t kept_bytes = 0;
};

/// Bytes during training, by account.
struct TrainingBytes {
  std::uint64_t parameters = 0;  ///< learned values
  std::uint64_t buffers = 0;     ///< other stored values
  std::uint64_t gradients = 0;   ///< one value per parameter
  std::uint64_t optimizer = 0;   ///< state of the optimizer
  std::uint64_t kept = 0;        ///< activations of the micro-batch that the backward pass needs
  std::uint64_t input = 0;       ///< the whole batch as delivered
  /// The sum: bytes after the forward pass, from the second step on. The first step has no
  /// gradients and no optimizer state yet.
  std::uint64_t total = 0;
  /// The maximum at any moment. It exceeds `total` if some layer needs more for a moment: its input
  /// and output together, or in the backward pass the gradients of both and the kept activations.
  /// It does not contain the work space of library kernels.
  std::uint64_t peak = 0;
};

/// Bytes during inference: no gradients, no optimizer and no kept activations.
struct PredictionBytes {
  std::uint64_t parameters = 0;   ///< learned values
  std::uint64_t buffers = 0;      ///< other stored values
  std::uint64_t input = 0;        ///< the whole batch as delivered
  std::uint64_t activations = 0;  ///< maximum of input and output of one layer
  std::uint64_t total = 0;        ///< the sum
};

/// The memory of a model, computed by footprint().
struct Footprint {
  std::uint64_t batch = 0;             ///< number of images
  std::uint64_t micro_batch = 0;       ///< images in one micro-batch
  std::uint64_t parameters = 0;        ///< learned values of all layers
  std::uint64_t buffers = 0;           ///< other stored values of all layers
  std::uint64_t activations = 0;       ///< activations of all layers for one image
  std::vector<LayerFootprint> layers;  ///< in the order of the model
  /// Part of `training.kept`: the input in the activations' type, if a layer keeps it.
  std::uint64_t input_copy_bytes = 0;
  TrainingBytes training;      ///< memory of forward pass, backward pass and optimizer
  PredictionBytes prediction;  ///< memory of the forward pass alone, one micro-batch at a time
};

/// Computes the memory that `model` needs for training on `model.batch` images in micro-batches of
/// `model.micro_batch`. It runs nothing. The result does not contain the rounding of an allocator
/// or the work space of a library.
///
/// With P parameters, s optimizer values per parameter, A kept values per image, m images per
/// micro-batch, a batch of B images with I values each, and e bytes per value: total = (2 +
/// s)·P·e + A·m·e + B·I·e. The kept values are those in the gradient formulas of PyTorch's
/// tools/autograd/derivatives.yaml. A value that two layers keep counts once. docs/footprint.md
/// lists formula and source for each kind of layer.
///
/// Pure. Throws Error{bad_options} if the layers do not fit together or a size exceeds 2^64. The
/// message states layer, field, value and bound.
WEIR_API Footprint footprint(const Model& model);

/// The largest batch whose training peak is at most `bytes`, in micro-batches of
/// `model.micro_batch` images. 0 if not even one image fits. Pure. Throws as
/// footprint() does.
WEIR_API std::uint64_t largest_batch(const Model& model, std::uint64_t bytes);
/// The largest micro-batch, at most model.batch, with which a batch of `model.batch` images fits in
/// `bytes`. 0 if not even one image fits. Pure. Throws as footprint() does.
WEIR_API std::uint64_t largest_micro_batch(const Model& model, std::uint64_t bytes);

}  // namespace weir
