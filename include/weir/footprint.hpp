#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "weir/export.hpp"
#include "weir/image.hpp"

/// \file
/// The memory of a model: its layers, what training and prediction need, and MODEL.json.
namespace weir {

/// Optimizer state per parameter. Parameters, gradients and state together take 2, 3 or 4 times the
/// bytes of the parameters, if all have one type. Sources: PyTorch's torch.optim (state of SGD,
/// RMSprop, Adam) and the papers cited there.
enum class Optimizer : std::uint8_t {
  sgd,       ///< no state
  momentum,  ///< one value: the velocity
  rmsprop,   ///< one value: the mean square
  adam,      ///< two values: both moments
};
/// The name of the enumerator, for example "adam". Any thread.
WEIR_API std::string_view to_string(Optimizer optimizer) noexcept;
/// Number of state values per parameter: 0, 1 or 2. Any thread.
WEIR_API std::uint64_t state_values(Optimizer optimizer) noexcept;

/// A size in rows and columns, for kernels, strides, paddings and dilations.
struct Extent {
  std::uint64_t height = 1;  ///< rows
  std::uint64_t width = 1;   ///< columns
  /// Compares both fields.
  friend bool operator==(const Extent&, const Extent&) = default;
};

/// Shape of the data of one image at some layer: {channels, height, width}, {features} or {tokens,
/// features}. The batch dimension is not included.
using Dims = std::vector<std::uint64_t>;

/// The kinds of layers, with PyTorch's names and definitions. docs/footprint.md states for each one
/// the formula and the values kept for the backward pass.
namespace layer {

/// A convolution: {in_channels, height, width} to {out_channels, …}.
struct Conv2d {
  std::uint64_t out_channels = 1;  ///< filters
  Extent kernel{};                 ///< in pixels, like the next three members
  Extent stride{};                 ///< distance between two windows
  Extent padding{0, 0};            ///< zeros on each side
  Extent dilation{};               ///< distance between two taps
  std::uint64_t groups = 1;        ///< independent groups; divides both numbers of channels
  bool bias = true;                ///< one value per filter
  std::optional<std::uint64_t> in_channels{};  ///< nullopt: any number
};

/// Accepts {features} or {tokens, features}. Other shapes need a Flatten before it.
struct Linear {
  std::uint64_t out_features = 1;              ///< rows of the matrix
  bool bias = true;                            ///< one value per row
  std::optional<std::uint64_t> in_features{};  ///< nullopt: any number
};

/// Normalizes each channel over the batch. Does not change the shape.
struct BatchNorm {
  bool affine = true;   ///< one scale and one shift per channel
  bool running = true;  ///< one mean and one variance per channel, stored as buffers
};

/// Normalizes groups of channels of one image. Does not change the shape.
struct GroupNorm {
  std::uint64_t groups = 1;  ///< divides the channels
  bool affine = true;        ///< one scale and one shift per channel
};

/// Converts {tokens} to {tokens, features}.
struct Embedding {
  std::uint64_t count = 1;     ///< number of different tokens
  std::uint64_t features = 1;  ///< values per token
};

/// The maximum of each window.
struct MaxPool2d {
  Extent kernel{};                 ///< in pixels, like the next three members
  std::optional<Extent> stride{};  ///< nullopt: the kernel
  Extent padding{0, 0};            ///< positions on each side that are never the maximum
  Extent dilation{};               ///< distance between two taps
  bool ceil_mode = false;          ///< whether windows may extend beyond the edge
};

/// The mean of each window.
struct AvgPool2d {
  Extent kernel{};                 ///< in pixels, like the next two members
  std::optional<Extent> stride{};  ///< nullopt: the kernel
  Extent padding{0, 0};            ///< zeros on each side
  bool ceil_mode = false;          ///< whether windows may extend beyond the edge
};

/// {channels, height, width} to {channels, 1, 1}.
struct GlobalAvgPool {};

/// Activation functions. softmax and log_softmax depend on all values of a row, the others on one
/// value.
enum class Function : std::uint8_t {
  relu,        ///< torch.nn.ReLU
  relu6,       ///< torch.nn.ReLU6
  leaky_relu,  ///< torch.nn.LeakyReLU
  elu,         ///< torch.nn.ELU
  sigmoid,     ///< torch.nn.Sigmoid
  tanh,        ///< torch.nn.Tanh
  gelu,        ///< torch.nn.GELU
  silu,        ///< x·σ(x) as one operation: keeps x and computes σ(x) again in the backward pass
  swish,       ///< x·σ(x) as two operations: keeps x and σ(x)
  mish,        ///< torch.nn.Mish
  softplus,    ///< torch.nn.Softplus
  hardswish,   ///< torch.nn.Hardswish
  softmax,     ///< torch.nn.Softmax
  log_softmax  ///< torch.nn.LogSoftmax
};
/// PyTorch's name: "ReLU", "LogSoftmax". Any thread.
WEIR_API std::string_view to_string(Function function) noexcept;
/// Whether PyTorch can apply the function in place without loss: relu to tanh. Any thread.
WEIR_API bool may_be_in_place(Function function) noexcept;

/// Applies a function to every value. Does not change the shape.
struct Activation {
  Function function = Function::relu;  ///< the function
  bool in_place = false;               ///< overwrites the input; see may_be_in_place()
};

/// Sets random values to zero and keeps a mask. Does not change the shape.
struct Dropout {
  bool in_place = false;  ///< overwrites the input
};

/// Reshapes any input to {features} without a copy.
struct Flatten {};

/// A group of layers of which only the sums are known: the parameters, and the activations per
/// image. Each activation is held `kept` times until the end of the backward pass (twice: value and
/// gradient).
struct Counts {
  std::uint64_t parameters = 0;   ///< learned values
  std::uint64_t activations = 0;  ///< values per image
  /// How often each activation is held; 0: only while the layer runs, forward and backward.
  std::uint64_t kept = 1;
  Dims output{};  ///< shape of the output; empty: the shape of the input
};

}  // namespace layer

/// One layer of a network.
struct Layer {
  /// One of the kinds of layers.
  using Kind =
      std::variant<layer::Conv2d, layer::Linear, layer::BatchNorm, layer::GroupNorm,
                   layer::Embedding, layer::MaxPool2d, layer::AvgPool2d, layer::GlobalAvgPool,
                   layer::Activation, layer::Dropout, layer::Flatten, layer::Counts>;
  Kind kind;           ///< kind and settings
  std::string name{};  ///< name in tables and messages; may be empty
};
/// The name of the kind: "Conv2d", "ReLU". Any thread.
WEIR_API std::string_view kind_name(const Layer& layer) noexcept;

/// The element type of each account.
struct ElementTypes {
  ElementType parameters = ElementType::f32;   ///< learned values
  ElementType gradients = ElementType::f32;    ///< gradients of the parameters
  ElementType optimizer = ElementType::f32;    ///< state of the optimizer
  ElementType activations = ElementType::f32;  ///< outputs of layers
  /// Type of the delivered batch. If it differs from the activations' type, the network uses a
  /// converted copy of one micro-batch at a time, as weir::Converter makes it from uint8. Tokens
  /// are int64.
  ElementType input = ElementType::f32;
};

/// A sequential network and its training settings.
struct Model {
  std::string name{};  ///< name in tables; may be empty
  Dims input;  ///< one image: {channels, height, width} or {features}; with `tokens`: {tokens}
  bool tokens = false;          ///< whether the input consists of token numbers for an Embedding
  std::vector<Layer> layers{};  ///< in order; none: the input batch alone
  Optimizer optimizer = Optimizer::sgd;  ///< determines the state per parameter
  ElementTypes types{};                  ///< element type of each account
  std::optional<std::uint64_t> batch{};  ///< number of images; nullopt: one image
  /// Images that are processed together; nullopt: the whole batch.
  std::optional<std::uint64_t> micro_batch{};
};

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
  /// the next one keeps it, and its own masks, indices, statistics and narrower copy of weights.
  std::uint64_t kept_bytes = 0;
};

/// Bytes during training, by account.
struct TrainingBytes {
  std::uint64_t parameters = 0;  ///< learned values
  std::uint64_t buffers = 0;     ///< other stored values
  std::uint64_t gradients = 0;   ///< one value per parameter
  std::uint64_t optimizer = 0;   ///< state of the optimizer
  /// Activations of the micro-batch that the backward pass needs, and copies of weights in their
  /// type, if that is narrower.
  std::uint64_t kept = 0;
  std::uint64_t input = 0;  ///< the whole batch as delivered
  /// The sum: bytes after the forward pass, from the second step on. The first step has no
  /// gradients and no optimizer state yet.
  std::uint64_t total = 0;
  /// The maximum at any moment. It exceeds `total` if some layer needs more for a moment: its input
  /// and output together, or in the backward pass the gradients of both and the kept activations.
  /// With micro-batches, from the second one on, the new gradient of one layer's parameters also
  /// exists until it is added to the sum. It does not contain the work space of library kernels, nor
  /// what the optimizer's step takes for itself: PyTorch's foreach optimizers need about the bytes
  /// of the parameters once more.
  std::uint64_t peak = 0;
};

/// Bytes during inference: no gradients, no optimizer and no kept activations.
struct PredictionBytes {
  std::uint64_t parameters = 0;  ///< learned values
  std::uint64_t buffers = 0;     ///< other stored values
  std::uint64_t input = 0;       ///< the whole batch as delivered
  /// Maximum of input, output and narrow copy of weights of one layer.
  std::uint64_t activations = 0;
  std::uint64_t total = 0;  ///< the sum
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
/// tools/autograd/derivatives.yaml. A value that two layers keep counts once. Activations of a type
/// narrower than the parameters add a copy of each Conv2d's and Linear's weights, as in PyTorch's
/// autocast. docs/footprint.md lists formula and source for each kind of layer.
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

/// Parses a MODEL.json. Its schema is installed as share/weir/model.schema.json. footprint() checks
/// whether the layers fit together. Throws Error{bad_options} with the field and, unless the text
/// is no JSON or has a field twice, the layer's index, type and name. Pure.
WEIR_API Model parse_model(std::string_view json);

/// Parses a file of at most 16 MiB. Throws as parse_model(), and Error{source_failed} with the path
/// if the file cannot be read, is larger or has a NUL byte.
WEIR_API Model read_model(const std::string& path);

}  // namespace weir
