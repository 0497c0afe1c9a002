#include <nlohmann/json.hpp>

#include "footprint/figures.hpp"

namespace weir::report {
namespace {

Json sums_json(const Footprint& print, bool training) {
  Json out{{"batch", print.batch}, {"micro_batch", print.micro_batch}};
  for (const auto& account : training_accounts) {
    if (training)
      out[account.key] = print.training.*account.training;
    else if (account.prediction)
      out[account.prediction_key] = print.prediction.*account.prediction;
  }
  return out;
}

Json layers_json(const Footprint& print) {
  Json out = Json::array();
  for (const auto& l : print.layers)
    out.push_back({{"type", l.kind},
                   {"name", l.name},
                   {"output", l.output},
                   {"parameters", l.parameters},
                   {"buffers", l.buffers},
                   {"activations", l.activations},
                   {"parameter_bytes", l.parameter_bytes},
                   {"buffer_bytes", l.buffer_bytes},
                   {"gradient_bytes", l.gradient_bytes},
                   {"optimizer_bytes", l.optimizer_bytes},
                   {"kept_bytes", l.kept_bytes}});
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
  const auto& requested = figures.requested();
  return {{"name", model.name},
          {"input", model.input},
          {"optimizer", to_string(model.optimizer)},
          {"types",
           {{"parameters", to_string(types.parameters)},
            {"gradients", to_string(types.gradients)},
            {"optimizer", to_string(types.optimizer)},
            {"activations", to_string(types.activations)},
            {"input", to_string(input_type(model))}}},
          {"parameters", requested.parameters},
          {"buffers", requested.buffers},
          {"activations", requested.activations},
          {"layers", layers_json(requested)},
          {"input_copy_bytes", requested.input_copy_bytes},
          {"batch", sums_json(figures.whole, true)},
          {"micro_batch", figures.micro ? sums_json(*figures.micro, true) : Json(nullptr)},
          {"prediction", sums_json(requested, false)},
          {"fit", figures.fit ? to_json(*figures.fit) : Json(nullptr)}};
}

Json to_json(const Together& both) {
  return {
      {"host_bytes", both.host_bytes},
      {"training_bytes", both.training_bytes},
      {"total_bytes", both.host_bytes + both.training_bytes},
      {"one_more",
       {{"queue_slot", {{"host_bytes", both.slot_host_bytes}, {"training_bytes", 0}}},
        {"image",
         {{"host_bytes", both.image_host_bytes}, {"training_bytes", both.image_training_bytes}}}}},
      {"mismatch", text_or_null(both.mismatch)}};
}

}  // namespace weir::report
