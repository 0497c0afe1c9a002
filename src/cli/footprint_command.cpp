#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/model_settings.hpp"

namespace weir::cli {

int footprint_command(const Settings& settings) {
  const auto figures = figures_of(open_model(settings.model), settings.model);
  auto json = report::envelope("footprint");
  json["footprint"] = report::to_json(figures);
  emit(settings, json, report::footprint_text(figures));
  const bool none_fits = figures.fit && figures.fit->at_once.images == 0;
  return none_fits ? failed_exit : done_exit;
}

}  // namespace weir::cli
