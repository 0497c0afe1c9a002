#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/data.hpp"
#include "cli/decode_times.hpp"
#include "cli/measure.hpp"
#include "cli/messages.hpp"
#include "cli/next_command.hpp"
#include "cli/setting_grid.hpp"
#include "plan/search.hpp"
#include "report/advice.hpp"
#include "report/json.hpp"
#include "report/stats_text.hpp"

namespace weir::cli {
namespace {

/// The window of the requested cache after the epoch that fills it. The measurement had none.
void put_cache(Measured& measured) {
  auto& window = *measured.window;
  const auto& cache = window.plan.cache;
  if (cache.keep == Cache::nothing) return;
  window.hit_share = cached_share(window, cache.keep, cache.bytes);
  measured.predicted = true;
  measured.verdict = prediction(window);
}

/// Measures decodes of other kinds, too, unless the consumer is the limit.
Advice advised(const AnySource& source, const Settings& settings, const Interrupt& interrupt,
               const Measured& measured) {
  AdviceOptions options{.target_readiness = settings.target_readiness,
                        .predict_verdict = measured.predicted};
  if (measured.verdict.regime != Regime::consumer) {
    const auto times = measure_decodes(source, settings.options, interrupt);
    options.fast_decode = times.fast;
    options.without_antialias = times.without_antialias;
  }
  return advise(*measured.window, options);
}

}  // namespace

int tune_command(const Settings& settings, const Interrupt& interrupt) {
  const auto source = open_data(settings, interrupt.token());
  auto measured = measure(source, settings, interrupt);
  auto run = report::envelope("run");
  report::put_run(run, measured.run);
  auto json = report::head("tune");
  json["data"] = settings.data;
  json["consumer_ms"] = settings.consumer_ms;
  json["runs"] = report::Json::array({std::move(run)});
  json["interrupted"] = interrupt.raised();
  for (const auto* key : {"advice", "verdict", "next", "regime", "regime_why", "depths", "grid"})
    json[key] = nullptr;
  const bool done = measured.window && measured.run.error.empty() && !interrupt.raised();
  if (!done) {
    emit(settings, json,
         interrupt.raised() ? "Interrupted: the measurement did not end, so there is no advice.\n"
                            : "");
    say_error(settings, measured.run.error, measured.run.figures.fault_count);
    return interrupt.raised() ? interrupted_exit : failed_exit;
  }
  put_cache(measured);
  const auto advice = advised(source, settings, interrupt, measured);
  const auto next = next_command(settings, advice, Command::sweep);
  const auto& window = *measured.window;
  json["advice"] = report::to_json(advice);
  json["verdict"] = advice.sentence;
  json["next"] = next;
  json["regime"] = to_string(measured.verdict.regime);
  json["regime_why"] = measured.verdict.why;
  json["depths"] = report::depths_json(window.plan, by_depth(window, advice.now.setting));
  if (!settings.json.empty() || !settings.html.empty()) json["grid"] = setting_grid(window, advice);
  emit(settings, json,
       report::verdict_text(advice) +
           report::window_text(window, measured.run.figures.plan.read_ahead) + '\n' +
           report::levers_text(advice) + '\n' + report::next_text(next));
  return done_exit;
}

}  // namespace weir::cli
