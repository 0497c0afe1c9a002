#include "footprint/layer_rules.hpp"

#include "base/checked.hpp"
#include "base/sanitize.hpp"
#include "base/terms.hpp"
#include "base/text.hpp"

namespace weir::footprint_detail {
namespace {

using layer::Function;

std::string extent_text(const Extent& e) { return dims_text({e.height, e.width}); }

/// Computes the rule of one layer.
class Ruler {
 public:
  Ruler(const LayerPosition& position, const Dims& input, bool tokens, LayerRule& rule)
      : position_(position), input_(input), rule_(rule) {
    rule_.output = input;
    const bool embeds = std::holds_alternative<layer::Embedding>(position.layer.kind);
    if (tokens != embeds)
      refuse_input(embeds ? "takes tokens: an input of {\"tokens\": N}, and as the first layer"
                          : "are tokens, which an Embedding makes numbers of first");
  }

  void of(const layer::Conv2d& conv) {
    const auto channels = image().channels;
    at_least_1("out_channels", conv.out_channels);
    at_least_1("groups", conv.groups);
    as_declared("in_channels", conv.in_channels, channels);
    divides("groups", conv.groups, channels, "channels that come in");
    divides("groups", conv.groups, conv.out_channels, "out_channels");
    slide({conv.kernel, conv.stride, conv.padding, conv.dilation, false}, conv.out_channels);
    const auto weights = mul_sat(mul_sat(conv.out_channels, channels / conv.groups),
                                 mul_sat(conv.kernel.height, conv.kernel.width));
    rule_.cast_values = weights;
    rule_.parameters = add_sat(weights, conv.bias ? conv.out_channels : 0);
  }

  void of(const layer::Linear& linear) {
    if (input_.size() > 2) refuse_input("takes features; put a Flatten before it");
    at_least_1("out_features", linear.out_features);
    as_declared("in_features", linear.in_features, input_.back());
    rule_.output.back() = linear.out_features;
    rule_.cast_values = mul_sat(input_.back(), linear.out_features);
    rule_.parameters = add_sat(rule_.cast_values, linear.bias ? linear.out_features : 0);
    rule_.keeps_input = true;
  }

  void of(const layer::BatchNorm& norm) {
    const auto channels = normalise(norm.affine);
    rule_.buffers = norm.running ? mul_sat(2, channels) : 0;
    rule_.common_statistics = mul_sat(2, channels);
  }

  void of(const layer::GroupNorm& norm) {
    const auto channels = normalise(norm.affine);
    at_least_1("groups", norm.groups);
    divides("groups", norm.groups, channels, "channels that come in");
    rule_.image_statistics = mul_sat(2, norm.groups);
  }

  void of(const layer::Embedding& embedding) {
    at_least_1("count", embedding.count);
    at_least_1("features", embedding.features);
    rule_.output = {input_.front(), embedding.features};
    rule_.parameters = mul_sat(embedding.count, embedding.features);
    rule_.keeps_input = true;
  }

  void of(const layer::MaxPool2d& max) {
    pool({max.kernel, max.stride.value_or(max.kernel), max.padding, max.dilation, max.ceil_mode});
    constexpr std::uint64_t index_bytes = 8;
    rule_.made_bytes = mul_sat(index_bytes, values_in(rule_.output));
  }

  void of(const layer::AvgPool2d& mean) {
    pool({mean.kernel, mean.stride.value_or(mean.kernel), mean.padding, {1, 1}, mean.ceil_mode});
  }

  void of(const layer::GlobalAvgPool&) { rule_.output = {image().channels, 1, 1}; }

  void of(const layer::Activation& activation) {
    const auto function = activation.function;
    if (activation.in_place && !may_be_in_place(function))
      refuse("in_place", "true", "the gradient of this function needs its input");
    rule_.in_place = activation.in_place;
    switch (function) {
      case Function::relu:
      case Function::sigmoid:
      case Function::tanh:
      case Function::softmax:
      case Function::log_softmax: rule_.keeps_output = true; break;
      case Function::relu6:
        rule_.keeps_input = !activation.in_place;
        if (activation.in_place) keep_copy();
        break;
      case Function::leaky_relu:
      case Function::elu:
        rule_.keeps_output = activation.in_place;
        rule_.keeps_input = !activation.in_place;
        break;
      case Function::swish: rule_.made_values = values_in(input_); [[fallthrough]];
      case Function::gelu:
      case Function::silu:
      case Function::mish:
      case Function::softplus:
      case Function::hardswish: rule_.keeps_input = true; break;
    }
  }

  void of(const layer::Dropout& dropout) {
    rule_.in_place = dropout.in_place;
    rule_.drops_out = true;
    rule_.made_to_keep = true;
    if (dropout.in_place)
      keep_copy();
    else
      rule_.made_bytes = values_in(input_);
  }

  void of(const layer::Flatten&) {
    rule_.output = {values_in(input_)};
    rule_.view = true;
  }

  void of(const layer::Counts& counts) {
    for (const auto extent : counts.output) at_least_1("output", extent);
    if (!counts.output.empty()) rule_.output = counts.output;
    rule_.parameters = counts.parameters;
    rule_.counted = true;
    rule_.made_values = counts.activations;
    rule_.times_kept = counts.kept;
  }

 private:
  struct Image {
    std::uint64_t channels, height, width;
  };
  struct Window {
    Extent kernel, stride, padding, dilation;
    bool ceil_mode;
  };

  [[noreturn]] void refuse(const char* field, const std::string& value,
                           const std::string& bound) const {
    throw model_error(layer_name(position_), std::string(field) + " = " + value + ": " + bound);
  }
  [[noreturn]] void refuse_input(const std::string& why) const {
    throw model_error(layer_name(position_), "input " + dims_text(input_) + ": " + why);
  }

  void at_least_1(const char* field, std::uint64_t value) const {
    if (value == 0) refuse(field, "0", "must be 1 or more");
  }
  void at_least_1(const char* field, const Extent& value) const {
    if (value.height == 0 || value.width == 0)
      refuse(field, extent_text(value), "must be 1 or more");
  }
  void as_declared(const char* field, std::optional<std::uint64_t> declared,
                   std::uint64_t comes) const {
    if (declared && *declared != comes)
      refuse(field, std::to_string(*declared),
             "what comes in is " + dims_text(input_) + ", so " + std::to_string(comes));
  }
  void divides(const char* field, std::uint64_t value, std::uint64_t whole,
               const char* what) const {
    if (whole % value != 0)
      refuse(field, std::to_string(value), "must divide the " + std::to_string(whole) + " " + what);
  }

  void keep_copy() {
    rule_.made_values = values_in(input_);
    rule_.made_to_keep = true;
  }

  Image image() const {
    if (input_.size() != 3) refuse_input("takes channels x height x width");
    return {input_[0], input_[1], input_[2]};
  }
  /// Returns the number of channels and adds a scale and a shift for each if `affine` is set.
  std::uint64_t normalise(bool affine) {
    if (input_.size() == 2) refuse_input("takes channels x height x width, or features");
    rule_.parameters = affine ? mul_sat(2, input_.front()) : 0;
    rule_.keeps_input = true;
    return input_.front();
  }

  /// One side of the output of a window. PyTorch's Conv2d and MaxPool2d, "Shape": the floor of
  /// (in + 2 padding - dilation (kernel - 1) - 1) / stride + 1. With ceil_mode it is the ceiling,
  /// but no window begins in the padding after the image.
  std::uint64_t side(const Window& w, std::uint64_t in, std::uint64_t Extent::*axis) const {
    at_least_1("kernel", w.kernel);
    at_least_1("stride", w.stride);
    at_least_1("dilation", w.dilation);
    const auto padding = w.padding.*axis, stride = w.stride.*axis;
    const auto padded = add_sat(in, mul_sat(2, padding));
    const auto span = add_sat(mul_sat(w.dilation.*axis, w.kernel.*axis - 1), 1);
    if (padded == unlimited) refuse("padding", extent_text(w.padding), "is too large");
    if (span > padded)
      refuse("kernel", extent_text(w.kernel),
             "spans " + std::to_string(span) + ", more than the " + std::to_string(padded) +
                 " of the padded input " + dims_text(input_));
    const auto room = padded - span;
    auto windows = room / stride + 1;
    if (w.ceil_mode && room % stride != 0 && mul_sat(windows, stride) < in + padding) ++windows;
    return windows;
  }

  void slide(const Window& window, std::uint64_t channels) {
    const auto in = image();
    rule_.output = {channels, side(window, in.height, &Extent::height),
                    side(window, in.width, &Extent::width)};
    rule_.keeps_input = true;
  }

  void pool(const Window& window) {
    const auto channels = image().channels;
    if (window.padding.height > window.kernel.height / 2 ||
        window.padding.width > window.kernel.width / 2)
      refuse("padding", extent_text(window.padding),
             "must be at most half of the kernel " + extent_text(window.kernel));
    slide(window, channels);
  }

  const LayerPosition& position_;
  const Dims& input_;
  LayerRule& rule_;
};

}  // namespace

std::string layer_name(std::uint64_t index, std::string_view kind, std::string_view name) {
  constexpr std::size_t most_of_a_name = 64;
  auto text = "layers[" + std::to_string(index) + "]";
  if (kind.empty() && name.empty()) return text;
  const auto blank = kind.empty() || name.empty() ? "" : " ";
  return text + " (" + sanitize(kind, most_of_a_name) + blank + sanitize(name, most_of_a_name) +
         ")";
}

std::string layer_name(const LayerPosition& position) {
  return layer_name(position.index, kind_name(position.layer), position.layer.name);
}

Error model_error(const std::string& position, const std::string& what) {
  return {Errc::bad_options, Stage::wait, position.empty() ? what : position + ": " + what};
}

Error said_of(const std::string& where, const Error& error) {
  return {static_cast<Errc>(error.code().value()), error.stage(),
          sanitize(where) + ": " + plain_text(error)};
}

std::string dims_text(const Dims& dims) { return joined(dims, "x"); }

std::uint64_t values_in(const Dims& dims) noexcept {
  std::uint64_t values = 1;
  for (const auto extent : dims) values = mul_sat(values, extent);
  return values;
}

LayerRule rule_of(const LayerPosition& position, const Dims& input, bool tokens) {
  LayerRule rule;
  Ruler ruler(position, input, tokens, rule);
  std::visit([&](const auto& kind) { ruler.of(kind); }, position.layer.kind);
  return rule;
}

}  // namespace weir::footprint_detail

namespace weir {

std::string_view to_string(Optimizer optimizer) noexcept {
  return name_of(optimizer, {"sgd", "momentum", "rmsprop", "adam"});
}

std::uint64_t state_values(Optimizer optimizer) noexcept {
  return optimizer == Optimizer::sgd ? 0 : optimizer == Optimizer::adam ? 2 : 1;
}

std::string_view layer::to_string(Function function) noexcept {
  return name_of(function, {"ReLU", "ReLU6", "LeakyReLU", "ELU", "Sigmoid", "Tanh", "GELU", "SiLU",
                            "Swish", "Mish", "Softplus", "Hardswish", "Softmax", "LogSoftmax"});
}

bool layer::may_be_in_place(Function function) noexcept { return function <= Function::tanh; }

std::string_view kind_name(const Layer& layer) noexcept {
  if (const auto* const activation = std::get_if<layer::Activation>(&layer.kind))
    return to_string(activation->function);
  return name_of(layer.kind.index(),
                 {"Conv2d", "Linear", "BatchNorm", "GroupNorm", "Embedding", "MaxPool2d",
                  "AvgPool2d", "GlobalAvgPool", "Activation", "Dropout", "Flatten", "Counts"});
}

}  // namespace weir
