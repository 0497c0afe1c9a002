
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/data.hpp"
#include "cli/measure.hpp"
#include "cli/messages.hpp"
#include "report/advice.hpp"
#include "report/json.hpp"

namespace weir::cli {
int tune_command(const Settings& settings, const Interrupt& interrupt) {
  const auto measured = measure(open_data(settings, interrupt.token()), settings, interrupt);
  auto run = report::envelope("run");
  report::put_run(run, measured.run);
  auto json = report::head("tune");
  json["data"] = settings.data;
  json["consumer_ms"] = settings.consumer_ms;
  json["runs"] = report::Json::array({std::move(run)});
  json["interrupted"] = interrupt.raised();
  json["advice"] = json["regime"] = json["regime_why"] = json["depths"] = nullptr;
  const bool done = measured.window && measured.run.error.empty() && !interrupt.raised();
  if (!done) {
    emit(settings, json,
         interrupt.raised() ? "Interrupted: the measurement did not end, so there is no advice.\n"
                            : "");
    say_error(settings, measured.run.error, measured.run.figures.fault_count);
    return interrupt.raised() ? interrupted_exit : failed_exit;
  }
  const auto advice = advise(*measured.window, {.target_readiness = settings.target_readiness});
  json["advice"] = report::to_json(advice);
  json["regime"] = to_string(measured.verdict.regime);
  json["regime_why"] = measured.verdict.why;
  json["depths"] = report::depths_json(measured.window->plan,
                                       by_depth(*measured.window, advice.recommended.setting));
  const auto read_ahead = measured.run.figures.plan.read_ahead;
  emit(settings, json,
       report::window_text(*measured.window, measured.verdict, read_ahead) + '\n' +
           report::advice_text(advice));
  return done_exit;
}

}  // namespace weir::cli
