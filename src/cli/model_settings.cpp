#include "cli/model_settings.hpp"

#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "footprint/layer_rules.hpp"
#include "weir/model_json.hpp"

namespace weir::cli {

Model open_model(const ModelSettings& settings) {
  auto model = read_model(settings.path);
  if (settings.batch) model.batch = settings.batch;
  if (settings.micro_batch) model.micro_batch = settings.micro_batch;
  model.optimizer = settings.optimizer.value_or(model.optimizer);
  if (settings.dtype) {
    auto& types = model.types;
    const auto input = types.input == ElementType::u8 ? ElementType::u8 : *settings.dtype;
    types = {*settings.dtype, *settings.dtype, *settings.dtype, *settings.dtype, input};
  }
  return model;
}

report::ModelFigures figures_of(const Model& model, const ModelSettings& settings) {
  try {
    return report::model_figures(model, settings.fit_bytes);
  } catch (const Error& error) {
    throw said_of(settings.path, error);
  }
}

int footprint_command(const Settings& settings) {
  const auto figures = figures_of(open_model(settings.model), settings.model);
  auto json = report::envelope("footprint");
  json["footprint"] = report::to_json(figures);
  emit(settings, json, report::footprint_text(figures));
  const bool none_fits = figures.fit && figures.fit->at_once.images == 0;
  return none_fits ? failed_exit : done_exit;
}

}  // namespace weir::cli
