#include "footprint/figures.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/checked.hpp"

namespace weir::report {
namespace {

Footprint in_micros(Model model, std::uint64_t batch, std::uint64_t micro) {
  model.batch = batch;
  model.micro_batch = micro;
  return footprint(model);
}

Most most(const Model& model, std::uint64_t images, std::uint64_t batch, std::uint64_t micro) {
  if (images == 0) return {};
  return {images, in_micros(model, batch, micro).training.peak};
}

Fit fit_into(const Model& model, std::uint64_t batch, std::uint64_t bytes) {
  Fit fit{.bytes = bytes};
  auto whole = model;
  whole.micro_batch = 0;
  const auto at_once = largest_batch(whole, bytes);
  fit.at_once = most(model, at_once, at_once, 0);
  if (model.micro_batch != 0) {
    const auto images = largest_batch(model, bytes);
    fit.in_micros = most(model, images, images, model.micro_batch);
  }
  const auto micro = largest_micro_batch(model, bytes);
  fit.micro_batch = most(model, micro, batch, micro);
  return fit;
}

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

ModelFigures model_figures(const Model& model, std::optional<std::uint64_t> bytes) {
  ModelFigures figures{.model = model};
  figures.whole = in_micros(model, model.batch, 0);
  const auto batch = figures.whole.batch;
  if (model.micro_batch != 0) figures.micro = in_micros(model, batch, model.micro_batch);
  if (bytes) figures.fit = fit_into(model, batch, *bytes);
  return figures;
}

Together together(const Plan& plan, const ModelFigures& figures, std::uint64_t alignment) {
  Together out;
  out.host_bytes = add_sat(mul_sat(plan.slabs, plan.slab_bytes), plan.index_bytes);
  out.training_bytes = figures.requested().training.peak;
  out.slot_host_bytes = plan.slab_bytes;
  const auto larger = slab_bytes(plan.shape, plan.batch + 1, alignment);
  out.image_host_bytes = mul_sat(plan.slabs, larger - plan.slab_bytes);
  const auto more =
      in_micros(figures.model, figures.requested().batch + 1, figures.model.micro_batch);
  out.image_training_bytes = more.training.peak - out.training_bytes;

  const auto& input = figures.model.input;
  const Dims loaded{plan.shape.channels, plan.shape.height, plan.shape.width};
  if (figures.model.tokens || input != loaded)
    out.mismatch =
        fmt::format("the loader gives images of {}, the model takes {}{}", fmt::join(loaded, "x"),
                    fmt::join(input, "x"), figures.model.tokens ? " tokens" : "");
  return out;
}

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
