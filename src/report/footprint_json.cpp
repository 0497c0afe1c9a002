#include <nlohmann/json.hpp>

#include "report/footprint.hpp"

namespace weir::report {
namespace {

Json to_json(const TrainingBytes& bytes, const Footprint& print) {
  return {{"batch", print.batch},
          {"micro_batch", print.micro_batch},
          {"parameter_bytes", bytes.parameters},
          {"buffer_bytes", bytes.buffers},
          {"gradient_bytes", bytes.gradients},
          {"optimizer_bytes", bytes.optimizer},
          {"kept_bytes", bytes.kept},
          {"input_bytes", bytes.input},
          {"total_bytes", bytes.total},
          {"peak_bytes", bytes.peak}};
}

Json to_json(const PredictionBytes& bytes, const Footprint& print) {
  return {{"batch", print.batch},
          {"micro_batch", print.micro_batch},
          {"parameter_bytes", bytes.parameters},
          {"buffer_bytes", bytes.buffers},
          {"activation_bytes", bytes.activations},
          {"input_bytes", bytes.input},
          {"total_bytes", bytes.total}};
}

Json layers_json(const Footprint& print) {
  Json out = Json::array();
  for (const auto& layer : print.layers)
    out.push_back({{"type", layer.kind},
                   {"name", layer.name},
                   {"output", layer.output},
                   {"parameters", layer.parameters},
                   {"buffers", layer.buffers},
                   {"activations", layer.activations},
                   {"parameter_bytes", layer.parameter_bytes},
                   {"buffer_bytes", layer.buffer_bytes},
                   {"gradient_bytes", layer.gradient_bytes},
                   {"optimizer_bytes", layer.optimizer_bytes},
                   {"kept_bytes", layer.kept_bytes}});
  return out;
}

Json to_json(const Most& most) {
  return {{"images", most.images},
          {"peak_bytes", most.images > 0 ? Json(most.peak_bytes) : Json(nullptr)}};
}

Json to_json(const Fit& fit) {
  return {{"bytes", fit.bytes},
          {"batch", to_json(fit.at_once)},
          {"batch_in_micro_batches", fit.in_micros ? to_json(*fit.in_micros) : Json(nullptr)},
          {"micro_batch", to_json(fit.micro_batch)}};
}

}  // namespace

Json to_json(const ModelFigures& figures) {
  const auto& model = figures.model;
  const auto& types = model.types;
  const auto& asked = figures.asked();
  return {{"name", model.name},
          {"input", model.input},
          {"optimizer", to_string(model.optimizer)},
          {"types",
           {{"parameters", to_string(types.parameters)},
            {"gradients", to_string(types.gradients)},
            {"optimizer", to_string(types.optimizer)},
            {"activations", to_string(types.activations)},
            {"input", to_string(model.tokens ? ElementType::i64 : types.input)}}},
          {"parameters", asked.parameters},
          {"buffers", asked.buffers},
          {"activations", asked.activations},
          {"layers", layers_json(asked)},
          {"input_copy_bytes", asked.input_copy_bytes},
          {"batch", to_json(figures.whole.training, figures.whole)},
          {"micro_batch",
           figures.micro ? to_json(figures.micro->training, *figures.micro) : Json(nullptr)},
          {"prediction", to_json(asked.prediction, asked)},
          {"fit", figures.fit ? to_json(*figures.fit) : Json(nullptr)}};
}

Json to_json(const Together& both) {
  return {
      {"host_bytes", both.host_bytes},
      {"training_bytes", both.training_bytes},
      {"total_bytes", both.host_bytes + both.training_bytes},
      {"one_more",
       {{"place", {{"host_bytes", both.place_host_bytes}, {"training_bytes", 0}}},
        {"image",
         {{"host_bytes", both.image_host_bytes}, {"training_bytes", both.image_training_bytes}}}}},
      {"mismatch", both.mismatch.empty() ? Json(nullptr) : Json(both.mismatch)}};
}

}  // namespace weir::report
