#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/data.hpp"
#include "report/json.hpp"
#include "report/text.hpp"
#include "weir/plan.hpp"

namespace weir::cli {
namespace {

int plan_grid(const Settings& settings) {
  const auto grid = report::pixel_grid(settings.dtype);
  auto json = report::envelope("plan");
  json["grid"] = report::to_json(grid);
  emit(settings, json, report::grid_text(grid));
  return done_exit;
}

}  // namespace

int plan_command(const Settings& settings) {
  if (settings.grid) return plan_grid(settings);
  const auto index_bytes = settings.data.empty() ? 0 : open_data(settings).index_bytes();
  const auto plan = resolve(settings.options, index_bytes);
  const auto depths = settings.depths.size() > 1 ? settings.depths : report::default_depths(plan);
  auto json = report::envelope("plan");
  report::put_plan(json, plan, settings.budget_how);
  json["depths"] = report::Json::array();
  for (const auto depth : depths)
    json["depths"].push_back(report::to_json(report::cost_at(plan, depth)));
  emit(settings, json,
       report::plan_text(plan, settings.budget_how) + '\n' + report::depth_text(plan, depths));
  return done_exit;
}

}  // namespace weir::cli
