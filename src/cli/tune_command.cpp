#include <nlohmann/json.hpp>

#include "advice/search.hpp"
#include "cli/commands.hpp"
#include "cli/data.hpp"
#include "cli/measure.hpp"
#include "cli/messages.hpp"
#include "cli/next_command.hpp"
#include "report/advice.hpp"
#include "report/json.hpp"
#include "report/text.hpp"

namespace weir::cli {
namespace {

/// The interval of the requested cache after the epoch that fills it. The measurement had none.
void put_cache(Measured& measured) {
  auto& interval = *measured.interval;
  const auto& cache = interval.plan.cache;
  if (cache.keep == Cache::nothing) return;
  interval.hit_share = advice::cached_share(interval, cache.keep, cache.bytes);
  measured.predicted = true;
}

/// Measures decodes of other kinds, too, unless the consumer is the limit.
Advice advised(const AnySource& source, const Settings& settings, const Interrupt& interrupt,
               const Measured& measured, Regime regime) {
  AdviceOptions options{.target_readiness = settings.options.tuning.target_readiness,
                        .predict_verdict = measured.predicted};
  if (regime != Regime::consumer)
    options.decodes = measure_decodes(source, settings.options, interrupt.token());
  if (settings.epochs) options.epochs = *settings.epochs;
  return advise(*measured.interval, options);
}

}  // namespace

int tune_command(const Settings& requested, const Interrupt& interrupt) {
  const auto [settings, source] = open_surveyed(requested, interrupt.token());
  auto measured = measure(source, settings, interrupt);
  auto run = report::run_report("run", measured.run);
  auto json = report::head("tune");
  json["data"] = settings.data;
  json["consumer_ms"] = settings.consumer_ms;
  json["runs"] = report::Json::array({std::move(run)});
  json["interrupted"] = interrupt.raised();
  const auto size = put_measured_size(json, settings);
  for (const auto* key : {"advice", "verdict", "next", "regime", "regime_why", "depths", "grid"})
    json[key] = nullptr;
  const bool done = measured.interval && measured.run.error.empty() && !interrupt.raised();
  if (!done) {
    emit(settings, json,
         interrupt.raised() ? "Interrupted: the measurement did not end, so there is no advice.\n"
                            : "");
    say_error(settings, measured.run.error, measured.run.figures.fault_count);
    return interrupt.raised() ? interrupted_exit : failed_exit;
  }
  put_cache(measured);
  const auto& interval = *measured.interval;
  const auto verdict = measured.predicted ? prediction(interval) : judge(interval);
  const auto advice = advised(source, settings, interrupt, measured, verdict.regime);
  const auto next = next_command(settings, advice, Command::sweep);
  json["advice"] = report::to_json(advice);
  json["verdict"] = advice.sentence;
  json["next"] = next;
  json["regime"] = to_string(verdict.regime);
  json["regime_why"] = verdict.why;
  json["depths"] = report::depths_json(interval.plan, predict_depths(interval, advice.now.setting));
  if (!settings.json.empty() || !settings.html.empty())
    json["grid"] = report::setting_grid(interval, advice);
  const auto& figures = measured.run.figures;
  emit(settings, json,
       report::verdict_text(advice) + size +
           report::interval_text(interval, figures.plan.read_ahead) +
           report::columns_text(figures) + '\n' +
           report::samples_text(figures.samples, figures.plan) + '\n' +
           report::levers_text(advice) + report::next_text(advice, next),
       measured.run.pictures);
  return done_exit;
}

}  // namespace weir::cli
