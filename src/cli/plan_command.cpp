#include <fmt/format.h>
#include <sys/resource.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/sanitize.hpp"
#include "cli/commands.hpp"
#include "cli/data.hpp"
#include "findings/footprint.hpp"
#include "footprint/layer_rules.hpp"
#include "options/bounds.hpp"
#include "report/advice.hpp"
#include "report/bytes.hpp"
#include "report/json.hpp"
#include "report/text.hpp"
#include "weir/footprint.hpp"

namespace weir::cli {
namespace {

/// Reads the model file of `settings`. Values in `settings` replace those of the file.
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

/// The figures of `model`. Error messages name the file.
findings::ModelFigures figures_of(const Model& model, const ModelSettings& settings) {
  try {
    return findings::model_figures(model, settings.fit_bytes);
  } catch (const Error& error) {
    throw footprint_detail::said_of(settings.path, error);
  }
}

/// How many files shards keep open, and how many the process may have. Empty if it is none.
std::string open_files_text(std::uint64_t open_files) {
  rlimit limit{};
  if (open_files == 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0) return {};
  return fmt::format("  open files {}, one for each shard; this process may have {} (ulimit -n)\n",
                     report::grouped(open_files), report::grouped(limit.rlim_cur));
}

int plan_grid(const Settings& settings) {
  const auto grid = report::pixel_grid(settings.dtype);
  auto json = report::envelope("plan");
  json["grid"] = report::to_json(grid);
  emit(settings, json, report::grid_text(grid));
  return done_exit;
}

/// Takes batch and image size from the model if the command line does not give them.
void follow(const Model& model, const Settings& settings, Options& options) {
  const auto fitting = [&](const char* field, std::uint64_t n, std::uint32_t most,
                           const char* option) {
    if (n > most)
      throw footprint_detail::model_error(
          sanitize(settings.model.path),
          fmt::format("{} = {}: must be at most {}; write {}", field, n, most, option));
    return static_cast<std::uint32_t>(n);
  };
  if (!settings.batch_given && model.batch)
    options.batch = fitting("batch", *model.batch, options::most_batch, "--batch N");
  const bool has_size = settings.size_given || settings.options.sizes.size.of;  // a schedule's
  if (!has_size && model.input.size() == 3) {
    const auto side = [&](const char* field, std::uint64_t n) {
      return fitting(field, n, options::most_side, "--size HxW");
    };
    options.shape = {side("height", model.input[1]), side("width", model.input[2])};
  }
}

}  // namespace

int plan_command(const Settings& settings, const Interrupt& interrupt) {
  if (settings.grid) return plan_grid(settings);
  auto known = settings;
  auto& options = known.options;
  std::optional<Model> model;
  if (!settings.model.path.empty()) {
    try {
      model = open_model(settings.model);
    } catch (const Error& error) {
      throw footprint_detail::said_of("--model " + settings.model.path, error);
    }
    follow(*model, settings, options);
  }
  const auto requested = to_string(options);
  // With images of their own sizes, replacements of bad samples take the most.
  options.faults.policy = OnFault::skip;
  std::uint64_t index_bytes = 0, samples = 0;
  data::Notes notes;
  if (!settings.data.empty()) {
    auto opened = open_surveyed(known, interrupt.token(), &notes);
    index_bytes = opened.source.index_bytes();
    samples = opened.source.size();
    known = std::move(opened.settings);
  }
  const auto plan = plan_of(known, index_bytes, samples);
  const auto depths = settings.depths.size() > 1 ? settings.depths : report::default_depths(plan);
  auto json = report::envelope("plan");
  report::put_plan(json, plan, known.budget_how, known.sample_how);
  json["plan"]["options"] = requested;
  json["depths"] = report::depths_json(plan, depths);
  json["open_files"] = notes.open_files;
  auto text = report::plan_text(plan, known.budget_how, known.sample_how) +
              open_files_text(notes.open_files) + '\n' + report::depth_text(plan, depths);
  if (model) {
    model->batch = plan.batch;
    const auto figures = figures_of(*model, settings.model);
    const auto both = findings::together(plan, figures);
    json["footprint"] = to_json(figures);
    json["together"] = to_json(both);
    text += "\nTraining of " + findings::training_text(figures) + '\n' +
            findings::together_text(both, plan);
  }
  emit(settings, json, text);
  return done_exit;
}

int footprint_command(const Settings& settings, const Interrupt&) {
  const auto figures = figures_of(open_model(settings.model), settings.model);
  auto json = report::envelope("footprint");
  json["footprint"] = to_json(figures);
  emit(settings, json, findings::footprint_text(figures));
  const bool none_fits = figures.fit && figures.fit->at_once.images == 0;
  return none_fits ? failed_exit : done_exit;
}

}  // namespace weir::cli
