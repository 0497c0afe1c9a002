#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/child.hpp"
#include "cli/commands.hpp"
#include "cli/data.hpp"
#include "cli/drive.hpp"
#include "cli/measure.hpp"
#include "cli/messages.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "report/advice.hpp"
#include "report/json.hpp"
#include "report/text.hpp"

namespace weir::cli {
namespace {

int sweep_one_depth(const Settings& settings, std::uint32_t depth, const Interrupt& interrupt) {
  end_with_parent();
  const auto run = drive(open_data(settings, interrupt.token()), settings, interrupt,
                         fmt::format("max_queue_size {}", depth));
  auto json = report::envelope("run");
  report::put_run(json, run);
  // This uses only the plan and no measurement. staging_bytes is the upper bound.
  const auto cost = report::cost_at(run.figures.plan, run.figures.plan.max_queue_size);
  json["predicted"] = {{"staging_bytes", cost.u8_bytes},  {"float16_bytes", cost.f16_bytes},
                       {"float32_bytes", cost.f32_bytes}, {"samples_per_s", nullptr},
                       {"data_readiness", nullptr},       {"consumer_wait", nullptr},
                       {"peak_staging_bytes", nullptr}};
  write_stdout(report::write(json));
  return exit_code(run);
}

/// Takes at most as many samples as one depth, so that the prediction does not make a short sweep
/// long.
std::optional<Window> measure_before(const Settings& settings, const Interrupt& interrupt) {
  if (!settings.predict) return {};
  const auto source = open_data(settings, interrupt.token());
  const auto goal = samples_to_consume(settings, source.size());
  auto measured = measure(source, settings, interrupt, goal.value_or(UINT64_MAX));
  if (!measured.run.error.empty()) return {};
  return measured.window;
}

/// Adds the prediction from `window` to the measurements in `run`.
void put_prediction(report::Json& run, const Window& window) {
  auto setting = setting_of(window.plan);
  setting.max_queue_size = run["plan"]["max_queue_size"];
  setting.read_ahead = run["plan"]["read_ahead"];
  const auto prediction = predict(window, setting);
  auto& predicted = run["predicted"];
  predicted["samples_per_s"] = prediction.samples_per_s;
  predicted["data_readiness"] = prediction.data_readiness;
  predicted["consumer_wait"] = prediction.consumer_wait;
  predicted["peak_staging_bytes"] = prediction.peak_staging_bytes;
  const double measured = run["throughput"]["samples_per_s"],
               seconds = run["throughput"]["seconds"];
  const double waited = run["queue"]["consumer_wait_s"];
  run["predicted_off"] = {
      {"samples_per_s", measured / prediction.samples_per_s - 1},
      {"data_readiness", run["queue"]["data_readiness"].get<double>() - prediction.data_readiness},
      {"consumer_wait", (seconds > 0 ? waited / seconds : 0) - prediction.consumer_wait},
      {"peak_staging_bytes",
       run["memory"]["staging"].get<double>() / static_cast<double>(prediction.peak_staging_bytes) -
           1}};
}

}  // namespace

int sweep_command(const Settings& settings, const std::vector<std::string>& arguments,
                  const Interrupt& interrupt) {
  if (settings.only_depth) return sweep_one_depth(settings, *settings.only_depth, interrupt);

  auto json = report::head("sweep");
  json["data"] = settings.data;
  json["consumer_ms"] = settings.consumer_ms;
  json["runs"] = report::Json::array();
  int worst = done_exit;
  auto finished = report::Json::array();
  const auto measured = measure_before(settings, interrupt);
  for (const auto depth : settings.depths) {
    if (interrupt.raised()) break;
    std::vector<std::string> child{"sweep", "--only-depth", std::to_string(depth)};
    child.insert(child.end(), arguments.begin(), arguments.end());
    // Computed once. Otherwise each depth would have its own budget.
    if (!settings.budget_how.empty()) {
      child.insert(child.end(),
                   {"--memory-budget", std::to_string(settings.options.memory.budget_bytes)});
    }
    const auto result = run_self(child, interrupt.token());
    worst = std::max(worst, result.exit_code);
    auto run = report::Json::parse(result.output, nullptr, false);
    if (run.is_discarded()) {
      if (interrupt.raised()) break;
      return std::max(worst, failed_exit);  // the child has written the reason to stderr
    }
    if (measured) put_prediction(run, *measured);
    if (run["interrupted"] == false) finished.push_back(run);
    json["runs"].push_back(std::move(run));
  }
  json["interrupted"] = interrupt.raised();
  auto text = interrupt.raised() ? fmt::format("Interrupted: {} of {} depths are finished.\n",
                                               finished.size(), settings.depths.size())
                                 : std::string();
  if (!finished.empty()) text += report::sweep_text(finished);
  if (measured && settings.options.cache.keep != Cache::nothing)
    text += "samples/s, ready and waited are predicted without the cache\n";
  json["advice"] = nullptr;
  if (measured && !interrupt.raised()) {
    const auto advice = advise(*measured, {.target_readiness = settings.target_readiness});
    json["advice"] = report::to_json(advice);
    text += '\n' + report::advice_text(advice);
  }
  emit(settings, json, text);
  for (const auto& run : finished)
    if (run["error"].is_string()) {
      say_error(settings, run["error"], run["fault_count"]);
      break;
    }
  return interrupt.raised() ? interrupted_exit : worst;
}

}  // namespace weir::cli
