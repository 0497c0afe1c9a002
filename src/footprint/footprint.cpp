#include "weir/footprint.hpp"

#include <algorithm>

#include "base/bisect.hpp"
#include "base/checked.hpp"
#include "footprint/layer_rules.hpp"
#include "footprint/liveness.hpp"

namespace weir {
namespace {

using namespace footprint_detail;

/// Adds the part of layer `i` to a sum below 2^64. The error names the layer that exceeds it.
void add_part(const Model& model, std::size_t i, const char* what, std::uint64_t& sum,
              std::uint64_t part) {
  sum = add_sat(sum, part);
  if (sum == unlimited)
    throw model_error(layer_name({i, model.layers[i]}),
                      std::string(what) + ": with the layers before, 2^64 bytes and more");
}

std::uint64_t batch_of(const Model& model) noexcept { return model.batch.value_or(1); }

std::uint64_t below_2_64(const Model& model, const char* what, std::uint64_t bytes) {
  if (bytes == unlimited)
    throw model_error("", "`batch` = " + std::to_string(batch_of(model)) + ": " + what +
                              " takes 2^64 bytes and more");
  return bytes;
}

std::uint64_t add_all(std::initializer_list<std::uint64_t> parts) noexcept {
  std::uint64_t sum = 0;
  for (const auto part : parts) sum = add_sat(sum, part);
  return sum;
}

/// Bytes per parameter for its value, gradient and state.
struct ValueBytes {
  explicit ValueBytes(const Model& model)
      : parameter(element_bytes(model.types.parameters)),
        gradient(element_bytes(model.types.gradients)),
        state(state_values(model.optimizer) * element_bytes(model.types.optimizer)) {}
  std::uint64_t parameter, gradient, state;
};

std::uint64_t at_once(const Model& model, std::uint64_t batch) noexcept {
  return std::min(model.micro_batch.value_or(batch), batch);
}

/// Costs that depend on the batch, and costs that do not.
struct Costs {
  explicit Costs(const Model& model) : liveness(liveness_of(model)) {
    if (model.batch == 0u) throw model_error("", "`batch` = 0: must be 1 or more");
    if (model.micro_batch == 0u) throw model_error("", "`micro_batch` = 0: must be 1 or more");
    const ValueBytes value(model);
    for (std::size_t i = 0; i < liveness.rules.size(); ++i) {
      const auto& rule = liveness.rules[i];
      add_part(model, i, "parameters", fixed,
               add_sat(mul_sat(rule.parameters, value.parameter + value.gradient + value.state),
                       mul_sat(rule.buffers, value.parameter)));
    }
    const auto type = model.tokens ? ElementType::i64 : model.types.input;
    image = mul_sat(values_in(model.input), element_bytes(type));
  }
  std::uint64_t peak(std::uint64_t batch, std::uint64_t micro) const noexcept {
    auto activations = std::max(liveness.all_kept.of(micro), most_of(liveness.moments, micro));
    if (micro < batch) activations = std::max(activations, most_of(liveness.later_moments, micro));
    return add_all({fixed, activations, mul_sat(image, batch)});
  }

  Liveness liveness;
  std::uint64_t fixed = 0, image = 0;
};

LayerFootprint of_layer(const Layer& layer, const LayerRule& rule, const ValueBytes& value,
                        std::uint64_t kept_bytes) {
  const bool fresh = !rule.view && !rule.in_place && !rule.counted;
  return {.name = layer.name,
          .kind = std::string(kind_name(layer)),
          .output = rule.output,
          .parameters = rule.parameters,
          .buffers = rule.buffers,
          .activations =
              add_sat(rule.made_to_keep ? 0 : rule.made_values, fresh ? values_in(rule.output) : 0),
          .parameter_bytes = mul_sat(rule.parameters, value.parameter),
          .buffer_bytes = mul_sat(rule.buffers, value.parameter),
          .gradient_bytes = mul_sat(rule.parameters, value.gradient),
          .optimizer_bytes = mul_sat(rule.parameters, value.state),
          .kept_bytes = kept_bytes};
}

}  // namespace

Footprint footprint(const Model& model) {
  const Costs costs(model);
  const auto& liveness = costs.liveness;
  const ValueBytes value(model);

  Footprint out;
  out.batch = batch_of(model);
  out.micro_batch = at_once(model, out.batch);
  auto& training = out.training;
  out.input_copy_bytes = liveness.input_copy_kept.of(out.micro_batch);
  training.kept = out.input_copy_bytes;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const auto& layer = out.layers.emplace_back(
        of_layer(model.layers[i], liveness.rules[i], value, liveness.kept[i].of(out.micro_batch)));
    const auto add = [&](const char* what, std::uint64_t& sum, std::uint64_t part) {
      add_part(model, i, what, sum, part);
    };
    add("parameters", out.parameters, layer.parameters);
    add("buffers", out.buffers, layer.buffers);
    add("activations", out.activations, layer.activations);
    add("parameters", training.parameters, layer.parameter_bytes);
    add("buffers", training.buffers, layer.buffer_bytes);
    add("gradients", training.gradients, layer.gradient_bytes);
    add("optimizer state", training.optimizer, layer.optimizer_bytes);
    add("activations kept", training.kept, layer.kept_bytes);
  }
  training.input = below_2_64(model, "the input", mul_sat(costs.image, out.batch));
  training.total = below_2_64(model, "training",
                              add_all({training.parameters, training.buffers, training.gradients,
                                       training.optimizer, training.kept, training.input}));
  training.peak = below_2_64(model, "training at its peak", costs.peak(out.batch, out.micro_batch));

  auto& prediction = out.prediction;
  prediction = {training.parameters, training.buffers, training.input,
                most_of(liveness.prediction_moments, out.micro_batch), 0};
  prediction.total = below_2_64(model, "prediction",
                                add_all({prediction.parameters, prediction.buffers,
                                         prediction.input, prediction.activations}));
  return out;
}

std::uint64_t largest_batch(const Model& model, std::uint64_t bytes) {
  const Costs costs(model);
  bytes = std::min(bytes, unlimited - 1);  // sums saturate at `unlimited`
  // An image has at least one byte, so a batch has at most `bytes` images.
  return largest_that(std::uint64_t{0}, bytes, [&](std::uint64_t batch) {
    return costs.peak(batch, at_once(model, batch)) <= bytes;
  });
}

std::uint64_t largest_micro_batch(const Model& model, std::uint64_t bytes) {
  const Costs costs(model);
  bytes = std::min(bytes, unlimited - 1);
  const auto batch = batch_of(model);
  const auto fits = [&](std::uint64_t micro) { return costs.peak(batch, micro) <= bytes; };
  // The whole batch at once adds no gradients up, so it can fit where fewer at a time do not.
  return fits(batch) ? batch : largest_that(std::uint64_t{0}, batch - 1, fits);
}

}  // namespace weir
