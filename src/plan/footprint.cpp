#include "weir/footprint.hpp"

#include <algorithm>
#include <utility>

#include "base/checked.hpp"
#include "plan/layer_rules.hpp"
#include "plan/model_course.hpp"

namespace weir {
namespace {

/// Adds up what must stay below 2^64, and names who took it there.
class Sum {
 public:
  explicit Sum(const Model& model) : model_(model) {}

  /// Of layer `i`; gives `part` back.
  std::uint64_t of(std::size_t i, const char* what, std::uint64_t& sum, std::uint64_t part) const {
    sum = add_sat(sum, part);
    if (sum == unlimited)
      throw model_error(place_name({i, model_.layers[i]}),
                        std::string(what) + ": with the layers before, 2^64 bytes and more");
    return part;
  }
  std::uint64_t whole(const char* what, std::uint64_t bytes) const {
    if (bytes == unlimited)
      throw model_error("", "batch = " + std::to_string(model_.batch) + ": " + what +
                                " takes 2^64 bytes and more");
    return bytes;
  }

 private:
  const Model& model_;
};

std::uint64_t add_all(std::initializer_list<std::uint64_t> parts) noexcept {
  std::uint64_t sum = 0;
  for (const auto part : parts) sum = add_sat(sum, part);
  return sum;
}

/// Bytes of one value of a parameter, its gradient and its state.
struct ValueBytes {
  explicit ValueBytes(const Model& model)
      : parameter(element_bytes(model.types.parameters)),
        gradient(element_bytes(model.types.gradients)),
        state(state_values(model.optimizer) * element_bytes(model.types.optimizer)) {}
  std::uint64_t parameter, gradient, state;
};

std::uint64_t image_bytes(const Model& model) noexcept {
  const auto type = model.tokens ? ElementType::i64 : model.types.input;
  return mul_sat(values_in(model.input), element_bytes(type));
}

std::uint64_t batch_of(const Model& model) noexcept {
  return std::max<std::uint64_t>(model.batch, 1);
}

std::uint64_t at_once(const Model& model, std::uint64_t batch) noexcept {
  return model.micro_batch == 0 ? batch : std::min(model.micro_batch, batch);
}

LayerFootprint of_layer(const Layer& layer, const LayerRule& rule) {
  LayerFootprint out;
  out.name = layer.name;
  out.kind = kind_name(layer);
  out.output = rule.output;
  out.parameters = rule.parameters;
  out.buffers = rule.buffers;
  const bool fresh = !rule.view && !rule.in_place && !rule.counted;
  out.activations =
      add_sat(rule.made_to_keep ? 0 : rule.made_values, fresh ? values_in(rule.output) : 0);
  return out;
}

/// What does not depend on the batch, and what does.
struct Costs {
  explicit Costs(const Model& model) : course(course_of(model)) {
    std::uint64_t parameters = 0;
    for (std::size_t i = 0; i < course.rules.size(); ++i) {
      const ValueBytes value(model);
      const auto& rule = course.rules[i];
      const auto bytes =
          add_sat(mul_sat(rule.parameters, value.parameter + value.gradient + value.state),
                  mul_sat(rule.buffers, value.parameter));
      Sum(model).of(i, "parameters", parameters, bytes);
    }
    fixed = parameters;
    image = image_bytes(model);
  }
  std::uint64_t peak(std::uint64_t batch, std::uint64_t micro) const noexcept {
    const auto activations = std::max(course.all_kept.of(micro), most_of(course.moments, micro));
    return add_all({fixed, activations, mul_sat(image, batch)});
  }

  ModelCourse course;
  std::uint64_t fixed = 0, image = 0;
};

/// The largest n of 1 … most for which `fits`, which holds up to some n; 0 where there is none.
template <class Fits>
std::uint64_t largest(std::uint64_t most, Fits fits) {
  std::uint64_t low = 0;
  while (low < most) {
    const auto middle = low + (most - low + 1) / 2;
    if (fits(middle))
      low = middle;
    else
      most = middle - 1;
  }
  return low;
}

}  // namespace

Footprint footprint(const Model& model) {
  const Costs costs(model);
  const auto& course = costs.course;
  const Sum sum(model);
  const ValueBytes value(model);

  Footprint out;
  out.batch = batch_of(model);
  out.micro_batch = at_once(model, out.batch);
  auto& training = out.training;
  out.input_copy_bytes = course.input_copy_kept.of(out.micro_batch);
  training.kept = out.input_copy_bytes;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    auto layer = of_layer(model.layers[i], course.rules[i]);
    sum.of(i, "parameters", out.parameters, layer.parameters);
    sum.of(i, "buffers", out.buffers, layer.buffers);
    sum.of(i, "activations", out.activations, layer.activations);
    const auto bytes = [&](const char* what, std::uint64_t& all, std::uint64_t part) {
      return sum.of(i, what, all, part);
    };
    layer.parameter_bytes =
        bytes("parameters", training.parameters, mul_sat(layer.parameters, value.parameter));
    layer.buffer_bytes =
        bytes("buffers", training.buffers, mul_sat(layer.buffers, value.parameter));
    layer.gradient_bytes =
        bytes("gradients", training.gradients, mul_sat(layer.parameters, value.gradient));
    layer.optimizer_bytes =
        bytes("optimizer state", training.optimizer, mul_sat(layer.parameters, value.state));
    layer.kept_bytes = bytes("activations kept", training.kept, course.kept[i].of(out.micro_batch));
    out.layers.push_back(std::move(layer));
  }
  training.input = sum.whole("the input", mul_sat(costs.image, out.batch));
  training.total =
      sum.whole("training", add_all({training.parameters, training.buffers, training.gradients,
                                     training.optimizer, training.kept, training.input}));
  training.peak = sum.whole("training at its peak", costs.peak(out.batch, out.micro_batch));

  auto& prediction = out.prediction;
  prediction.parameters = training.parameters;
  prediction.buffers = training.buffers;
  prediction.input = training.input;
  prediction.activations = most_of(course.prediction_moments, out.micro_batch);
  prediction.total = sum.whole("prediction", add_all({prediction.parameters, prediction.buffers,
                                                      prediction.input, prediction.activations}));
  return out;
}

std::uint64_t largest_batch(const Model& model, std::uint64_t bytes) {
  const Costs costs(model);
  bytes = std::min(bytes, unlimited - 1);  // at `unlimited` sums stick
  // An image is a byte or more, so a batch of `bytes` is the most there can be.
  return largest(bytes, [&](std::uint64_t batch) {
    return costs.peak(batch, at_once(model, batch)) <= bytes;
  });
}

std::uint64_t largest_micro_batch(const Model& model, std::uint64_t bytes) {
  const Costs costs(model);
  bytes = std::min(bytes, unlimited - 1);
  const auto batch = batch_of(model);
  return largest(batch, [&](std::uint64_t micro) { return costs.peak(batch, micro) <= bytes; });
}

}  // namespace weir
