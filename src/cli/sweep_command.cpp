#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/child.hpp"
#include "cli/commands.hpp"
#include "cli/data.hpp"
#include "cli/drive.hpp"
#include "cli/measure.hpp"
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
  // From the plan alone; nothing measured goes into it. staging_bytes is the bound.
  const auto cost = report::cost_at(run.figures.plan, run.figures.plan.max_queue_size);
  json["predicted"] = {{"staging_bytes", cost.u8_bytes},  {"float16_bytes", cost.f16_bytes},
                       {"float32_bytes", cost.f32_bytes}, {"samples_per_s", nullptr},
                       {"data_readiness", nullptr},       {"consumer_wait", nullptr},
                       {"peak_staging_bytes", nullptr}};
  write_stdout(report::write(json));
  return exit_code(run);
}

report::SweepRow row_of(std::uint32_t asked, const report::Json& json) {
  report::SweepRow row;
  row.max_queue_size = asked;
  row.slabs = json["plan"]["slabs"];
  row.bound = {.max_queue_size = json["plan"]["max_queue_size"],
               .u8_bytes = json["predicted"]["staging_bytes"],
               .f16_bytes = json["predicted"]["float16_bytes"],
               .f32_bytes = json["predicted"]["float32_bytes"]};
  row.staging_bytes = json["memory"]["staging"];
  row.peak_bytes = json["memory"]["peak"];
  const auto& process = json["memory"]["process"];
  row.rss_growth =
      process["rss_peak"].get<std::int64_t>() - process["rss_before"].get<std::int64_t>();
  row.samples_per_s = json["throughput"]["samples_per_s"];
  row.consumer_wait_s = json["queue"]["consumer_wait_s"];
  row.data_readiness = json["queue"]["data_readiness"];
  row.drawn = json["samples"]["drawn"];
  row.consumed = json["samples"]["consumed"];
  if (json["error"].is_string()) row.error = json["error"];
  if (const double seconds = json["throughput"]["seconds"]; seconds > 0)
    row.consumer_wait = row.consumer_wait_s / seconds;
  if (const auto& predicted = json["predicted"]; predicted["samples_per_s"].is_number())
    row.foretold = {.samples_per_s = predicted["samples_per_s"],
                    .data_readiness = predicted["data_readiness"],
                    .consumer_wait = predicted["consumer_wait"],
                    .staging_bytes = predicted["peak_staging_bytes"]};
  return row;
}

/// As much as one depth is going to take, at the most: a short sweep is no long one for being
/// predicted.
std::optional<Measured> measure_before(const Settings& settings, const Interrupt& interrupt) {
  if (!settings.foretell) return {};
  const auto source = open_data(settings, interrupt.token());
  const auto goal = samples_to_consume(settings, source.size());
  auto measured = measure(source, settings, interrupt, goal.value_or(UINT64_MAX));
  if (!measured.window || !measured.run.error.empty()) return {};
  return measured;
}

/// Puts what the window foretells beside what `run` measured.
void put_prediction(report::Json& run, const Window& window,
                    const std::optional<Service>& consumer) {
  auto seen = window;
  if (consumer) seen.consumer = *consumer;
  auto setting = setting_of(window.plan);
  setting.max_queue_size = run["plan"]["max_queue_size"];
  setting.read_ahead = run["plan"]["read_ahead"];
  const auto foretold = predict(seen, setting);
  auto& predicted = run["predicted"];
  predicted["samples_per_s"] = foretold.samples_per_s;
  predicted["data_readiness"] = foretold.data_readiness;
  predicted["consumer_wait"] = foretold.consumer_wait;
  predicted["peak_staging_bytes"] = foretold.peak_staging_bytes;
  const double measured = run["throughput"]["samples_per_s"],
               seconds = run["throughput"]["seconds"];
  const double waited = run["queue"]["consumer_wait_s"];
  run["predicted_off"] = {
      {"samples_per_s", measured / foretold.samples_per_s - 1},
      {"data_readiness", run["queue"]["data_readiness"].get<double>() - foretold.data_readiness},
      {"consumer_wait", (seconds > 0 ? waited / seconds : 0) - foretold.consumer_wait},
      {"peak_staging_bytes",
       run["memory"]["staging"].get<double>() / static_cast<double>(foretold.peak_staging_bytes) -
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
  std::vector<report::SweepRow> rows;
  int worst = done_exit;
  const auto measured = measure_before(settings, interrupt);
  for (const auto depth : settings.depths) {
    std::vector<std::string> child{"sweep", "--only-depth", std::to_string(depth)};
    child.insert(child.end(), arguments.begin(), arguments.end());
    // Worked out once, or each depth would have a budget of its own.
    if (!settings.budget_how.empty()) {
      child.insert(child.end(),
                   {"--memory-budget", std::to_string(settings.options.memory.budget_bytes)});
    }
    const auto result = run_self(child, interrupt.token());
    worst = std::max(worst, result.exit_code);
    auto run = report::Json::parse(result.output, nullptr, false);
    // It has said why on stderr.
    if (run.is_discarded())
      return interrupt.raised() ? interrupted_exit : std::max(worst, failed_exit);
    if (measured) put_prediction(run, *measured->window, measured->consumer);
    json["runs"].push_back(run);
    rows.push_back(row_of(depth, run));
    if (interrupt.raised()) break;
  }
  auto text = report::sweep_text(rows);
  if (measured && settings.options.cache.keep != Cache::nothing)
    text += "samples/s, ready and waited are predicted without the cache\n";
  json["advice"] = nullptr;
  if (measured && !interrupt.raised()) {
    const auto advice = advise(*measured, settings);
    json["advice"] = report::to_json(advice);
    text += '\n' + report::advice_text(advice);
  }
  emit(settings, json, text);
  return interrupt.raised() ? interrupted_exit : worst;
}

}  // namespace weir::cli
