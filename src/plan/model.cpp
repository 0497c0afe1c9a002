#include "weir/model.hpp"

namespace weir {

std::string_view to_string(ElementType type) noexcept {
  switch (type) {
    case ElementType::u8: return "uint8";
    case ElementType::f16: return "float16";
    case ElementType::bf16: return "bfloat16";
    case ElementType::f32: return "float32";
    case ElementType::f64: return "float64";
    case ElementType::i64: return "int64";
  }
  return "";
}

std::string_view to_string(Optimizer optimizer) noexcept {
  switch (optimizer) {
    case Optimizer::sgd: return "sgd";
    case Optimizer::momentum: return "momentum";
    case Optimizer::rmsprop: return "rmsprop";
    case Optimizer::adam: return "adam";
  }
  return "";
}

std::uint64_t state_values(Optimizer optimizer) noexcept {
  switch (optimizer) {
    case Optimizer::sgd: return 0;
    case Optimizer::momentum:
    case Optimizer::rmsprop: return 1;
    case Optimizer::adam: return 2;
  }
  return 0;
}

namespace layer {

std::string_view to_string(Function function) noexcept {
  switch (function) {
    case Function::relu: return "ReLU";
    case Function::relu6: return "ReLU6";
    case Function::leaky_relu: return "LeakyReLU";
    case Function::elu: return "ELU";
    case Function::sigmoid: return "Sigmoid";
    case Function::tanh: return "Tanh";
    case Function::gelu: return "GELU";
    case Function::silu: return "SiLU";
    case Function::swish: return "Swish";
    case Function::mish: return "Mish";
    case Function::softplus: return "Softplus";
    case Function::hardswish: return "Hardswish";
    case Function::softmax: return "Softmax";
    case Function::log_softmax: return "LogSoftmax";
  }
  return "";
}

bool may_be_in_place(Function function) noexcept { return function <= Function::tanh; }

}  // namespace layer

namespace {

struct KindName {
  std::string_view operator()(const layer::Conv2d&) const { return "Conv2d"; }
  std::string_view operator()(const layer::Linear&) const { return "Linear"; }
  std::string_view operator()(const layer::BatchNorm&) const { return "BatchNorm"; }
  std::string_view operator()(const layer::GroupNorm&) const { return "GroupNorm"; }
  std::string_view operator()(const layer::Embedding&) const { return "Embedding"; }
  std::string_view operator()(const layer::MaxPool2d&) const { return "MaxPool2d"; }
  std::string_view operator()(const layer::AvgPool2d&) const { return "AvgPool2d"; }
  std::string_view operator()(const layer::GlobalAvgPool&) const { return "GlobalAvgPool"; }
  std::string_view operator()(const layer::Activation& a) const { return to_string(a.function); }
  std::string_view operator()(const layer::Dropout&) const { return "Dropout"; }
  std::string_view operator()(const layer::Flatten&) const { return "Flatten"; }
  std::string_view operator()(const layer::Counts&) const { return "Counts"; }
};

}  // namespace

std::string_view kind_name(const Layer& layer) noexcept {
  return std::visit(KindName{}, layer.kind);
}

}  // namespace weir
