#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace weir {

/// What one value is held as.
enum class ElementType : std::uint8_t { u8, f16, bf16, f32, f64, i64 };
constexpr std::uint64_t element_bytes(ElementType type) noexcept {
  switch (type) {
    case ElementType::u8: return 1;
    case ElementType::f16:
    case ElementType::bf16: return 2;
    case ElementType::f32: return 4;
    case ElementType::f64:
    case ElementType::i64: return 8;
  }
  return 0;
}
/// "float32".
std::string_view to_string(ElementType type) noexcept;

/// What is kept for each parameter besides itself and its gradient: nothing (sgd), one value
/// (momentum: the velocity; rmsprop: the mean square) or two (adam: both moments). So bytes of the
/// parameters times 2, 3 or 4 in all, where all are of one type. Sources: PyTorch's torch.optim (state
/// of SGD, RMSprop, Adam) and the papers named there.
enum class Optimizer : std::uint8_t { sgd, momentum, rmsprop, adam };
std::string_view to_string(Optimizer optimizer) noexcept;
/// 0, 1 or 2.
std::uint64_t state_values(Optimizer optimizer) noexcept;

/// Rows by columns: of a kernel, a stride, a padding, a dilation.
struct Extent {
  std::uint64_t height = 1, width = 1;
  friend bool operator==(const Extent&, const Extent&) = default;
};

/// What one image is, or gives between two layers: {channels, height, width}, {features},
/// {tokens, features}. Batches are not part of it.
using Dims = std::vector<std::uint64_t>;

/// The kinds of layers, as PyTorch names and defines them. What each computes and keeps for the
/// backward pass stands with its formula in docs/footprint.md. 0 for an input's size: whatever comes.
namespace layer {

struct Conv2d {
  std::uint64_t out_channels = 1;
  Extent kernel{};
  Extent stride{};
  Extent padding{0, 0};
  Extent dilation{};
  std::uint64_t groups = 1;
  bool bias = true;
  std::uint64_t in_channels = 0;
};

/// Takes {features} or {tokens, features}; anything larger is flattened first.
struct Linear {
  std::uint64_t out_features = 1;
  bool bias = true;
  std::uint64_t in_features = 0;
};

/// `affine`: a scale and a shift a channel. `running`: a mean and a variance a channel, which are no
/// parameters.
struct BatchNorm {
  bool affine = true, running = true;
};

struct GroupNorm {
  std::uint64_t groups = 1;
  bool affine = true;
};

/// Takes an image that is {tokens}.
struct Embedding {
  std::uint64_t count = 1;  ///< of different tokens
  std::uint64_t features = 1;
};

struct MaxPool2d {
  Extent kernel{};
  Extent stride{0, 0};  ///< 0: the kernel
  Extent padding{0, 0};
  Extent dilation{};
  bool ceil_mode = false;
};

struct AvgPool2d {
  Extent kernel{};
  Extent stride{0, 0};  ///< 0: the kernel
  Extent padding{0, 0};
  bool ceil_mode = false;
};

/// {channels, height, width} to {channels, 1, 1}.
struct GlobalAvgPool {};

/// `silu` is Swish, x·σ(x), as one operation that keeps its input alone and works out σ(x) again in
/// the backward pass; `swish` is the same written as two, which keeps x and σ(x).
enum class Function : std::uint8_t {
  relu,
  relu6,
  leaky_relu,
  elu,
  sigmoid,
  tanh,
  gelu,
  silu,
  swish,
  mish,
  softplus,
  hardswish,
  softmax,
  log_softmax
};
/// As PyTorch calls it: "ReLU", "LogSoftmax".
std::string_view to_string(Function function) noexcept;
/// relu to tanh: those that PyTorch's layers do in place without loss.
bool may_be_in_place(Function function) noexcept;

struct Activation {
  Function function = Function::relu;
  bool in_place = false;
};

struct Dropout {
  bool in_place = false;
};

struct Flatten {};

/// Layers that are known by their sums alone: parameters, and values an image gives, each of them
/// held `kept` times until the backward pass is through (twice: the value and its gradient).
struct Counts {
  std::uint64_t parameters = 0, activations = 0, kept = 1;
  Dims output{};  ///< what the next layer gets; empty: what these got
};

}  // namespace layer

struct Layer {
  using Kind =
      std::variant<layer::Conv2d, layer::Linear, layer::BatchNorm, layer::GroupNorm,
                   layer::Embedding, layer::MaxPool2d, layer::AvgPool2d, layer::GlobalAvgPool,
                   layer::Activation, layer::Dropout, layer::Flatten, layer::Counts>;
  Kind kind;
  std::string name{};  ///< for tables and messages; may be empty
};
/// "Conv2d", "ReLU".
std::string_view kind_name(const Layer& layer) noexcept;

/// The element type of each account.
struct ElementTypes {
  ElementType parameters = ElementType::f32, gradients = ElementType::f32;
  ElementType optimizer = ElementType::f32, activations = ElementType::f32;
  /// As the batch is handed over. Where it is not the activations' type, the network works on a
  /// converted copy of a micro-batch at a time, as weir::Converter makes it of uint8. Tokens are
  /// int64.
  ElementType input = ElementType::f32;
};

/// A network that is one layer after another, and how it is trained.
struct Model {
  std::string name{};
  Dims input;  ///< one image: {channels, height, width} or {features}; with `tokens`: {tokens}
  bool tokens = false;
  std::vector<Layer> layers{};  ///< none: the input batch alone
  Optimizer optimizer = Optimizer::sgd;
  ElementTypes types{};
  std::uint64_t batch = 0;        ///< 0: one image
  std::uint64_t micro_batch = 0;  ///< images that go through at once; 0: the whole batch
};

}  // namespace weir
