#include "weir/model.hpp"

#include "base/terms.hpp"

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
