#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "weir/element_type.hpp"
#include "weir/export.hpp"

namespace weir {

/// What is kept for each parameter besides itself and its gradient. So bytes of the parameters times 2,
/// 3 or 4 in all, where all are of one type. Sources: PyTorch's torch.optim (state of SGD, RMSprop, Adam)
/// and the papers named there.
enum class Optimizer : std::uint8_t {
  sgd,       ///< nothing
  momentum,  ///< one value: the velocity
  rmsprop,   ///< one value: the mean square
  adam,      ///< two: both moments
};
/// The enumerator's own name: "adam".
WEIR_API std::string_view to_string(Optimizer optimizer) noexcept;
/// Values of state a parameter: 0, 1 or 2.
WEIR_API std::uint64_t state_values(Optimizer optimizer) noexcept;

/// Rows by columns: of a kernel, a stride, a padding, a dilation.
struct Extent {
  std::uint64_t height = 1;  ///< rows
  std::uint64_t width = 1;   ///< columns
  /// Field by field.
  friend bool operator==(const Extent&, const Extent&) = default;
};

/// What one image is, or gives between two layers: {channels, height, width}, {features},
/// {tokens, features}. Batches are not part of it.
using Dims = std::vector<std::uint64_t>;

/// The kinds of layers, as PyTorch names and defines them. What each computes and keeps for the
/// backward pass stands with its formula in docs/footprint.md. 0 for an input's size: whatever comes.
namespace layer {

/// A convolution: {in_channels, height, width} to {out_channels, …}.
struct Conv2d {
  std::uint64_t out_channels = 1;  ///< filters
  Extent kernel{};                 ///< pixels, as the next three
  Extent stride{};                 ///< from one window to the next
  Extent padding{0, 0};            ///< zeros on each side
  Extent dilation{};               ///< from one tap to the next
  std::uint64_t groups = 1;       ///< which do not see each other; divides both numbers of channels
  bool bias = true;               ///< a value a filter
  std::uint64_t in_channels = 0;  ///< 0: whatever comes
};

/// Takes {features} or {tokens, features}; anything larger is flattened first.
struct Linear {
  std::uint64_t out_features = 1;  ///< rows of the matrix
  bool bias = true;                ///< a value a row
  std::uint64_t in_features = 0;   ///< 0: whatever comes
};

/// Over the batch, for each channel; the size stays.
struct BatchNorm {
  bool affine = true;   ///< a scale and a shift a channel
  bool running = true;  ///< a mean and a variance a channel, which are no parameters
};

/// Over groups of channels of one image; the size stays.
struct GroupNorm {
  std::uint64_t groups = 1;  ///< divides the channels
  bool affine = true;        ///< a scale and a shift a channel
};

/// Takes an image that is {tokens}.
struct Embedding {
  std::uint64_t count = 1;     ///< of different tokens
  std::uint64_t features = 1;  ///< values a token becomes
};

/// The largest of each window.
struct MaxPool2d {
  Extent kernel{};         ///< pixels, as the next three
  Extent stride{0, 0};     ///< 0: the kernel
  Extent padding{0, 0};    ///< on each side, never the largest
  Extent dilation{};       ///< from one tap to the next
  bool ceil_mode = false;  ///< windows that reach over the edge count
};

/// The mean of each window.
struct AvgPool2d {
  Extent kernel{};         ///< pixels, as the next two
  Extent stride{0, 0};     ///< 0: the kernel
  Extent padding{0, 0};    ///< zeros on each side
  bool ceil_mode = false;  ///< windows that reach over the edge count
};

/// {channels, height, width} to {channels, 1, 1}.
struct GlobalAvgPool {};

/// Functions of one value, but the last two, which are of all the values of a row.
enum class Function : std::uint8_t {
  relu,        ///< torch.nn.ReLU
  relu6,       ///< torch.nn.ReLU6
  leaky_relu,  ///< torch.nn.LeakyReLU
  elu,         ///< torch.nn.ELU
  sigmoid,     ///< torch.nn.Sigmoid
  tanh,        ///< torch.nn.Tanh
  gelu,        ///< torch.nn.GELU
  silu,        ///< x·σ(x) as one operation: keeps x alone and works out σ(x) again backward
  swish,       ///< x·σ(x) written as two: keeps x and σ(x)
  mish,        ///< torch.nn.Mish
  softplus,    ///< torch.nn.Softplus
  hardswish,   ///< torch.nn.Hardswish
  softmax,     ///< torch.nn.Softmax
  log_softmax  ///< torch.nn.LogSoftmax
};
/// As PyTorch calls it: "ReLU", "LogSoftmax".
WEIR_API std::string_view to_string(Function function) noexcept;
/// relu to tanh: those that PyTorch's layers do in place without loss.
WEIR_API bool may_be_in_place(Function function) noexcept;

/// A function of every value; the size stays.
struct Activation {
  Function function = Function::relu;  ///< which one
  bool in_place = false;               ///< over its input; see may_be_in_place()
};

/// Zeros at random; the size stays. Keeps a mask.
struct Dropout {
  bool in_place = false;  ///< over its input
};

/// Whatever comes to {features}, without a copy.
struct Flatten {};

/// Layers that are known by their sums alone: parameters, and values an image gives, each of them
/// held `kept` times until the backward pass is through (twice: the value and its gradient).
struct Counts {
  std::uint64_t parameters = 0;   ///< learned values
  std::uint64_t activations = 0;  ///< values an image gives
  std::uint64_t kept = 1;         ///< how many times each is held
  Dims output{};                  ///< what the next layer gets; empty: what these got
};

}  // namespace layer

/// One step of a network.
struct Layer {
  /// What it may be.
  using Kind =
      std::variant<layer::Conv2d, layer::Linear, layer::BatchNorm, layer::GroupNorm,
                   layer::Embedding, layer::MaxPool2d, layer::AvgPool2d, layer::GlobalAvgPool,
                   layer::Activation, layer::Dropout, layer::Flatten, layer::Counts>;
  Kind kind;           ///< with its settings
  std::string name{};  ///< for tables and messages; may be empty
};
/// "Conv2d", "ReLU".
WEIR_API std::string_view kind_name(const Layer& layer) noexcept;

/// The element type of each account.
struct ElementTypes {
  ElementType parameters = ElementType::f32;   ///< learned values
  ElementType gradients = ElementType::f32;    ///< of them
  ElementType optimizer = ElementType::f32;    ///< its state
  ElementType activations = ElementType::f32;  ///< what layers give
  /// As the batch is handed over. Where it is not the activations' type, the network works on a
  /// converted copy of a micro-batch at a time, as weir::Converter makes it of uint8. Tokens are
  /// int64.
  ElementType input = ElementType::f32;
};

/// A network that is one layer after another, and how it is trained.
struct Model {
  std::string name{};  ///< for tables; may be empty
  Dims input;  ///< one image: {channels, height, width} or {features}; with `tokens`: {tokens}
  bool tokens = false;                   ///< the input is numbers of tokens, for an Embedding
  std::vector<Layer> layers{};           ///< none: the input batch alone
  Optimizer optimizer = Optimizer::sgd;  ///< what it keeps a parameter
  ElementTypes types{};                  ///< of each account
  std::uint64_t batch = 0;               ///< 0: one image
  std::uint64_t micro_batch = 0;         ///< images that go through at once; 0: the whole batch
};

}  // namespace weir
