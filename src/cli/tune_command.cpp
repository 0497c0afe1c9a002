#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/data.hpp"
#include "cli/measure.hpp"
#include "report/advice.hpp"
#include "report/json.hpp"

namespace weir::cli {
namespace {

std::string tune_text(const Measured& measured, const Advice& advice) {
  const auto& verdict = measured.verdict;
  return fmt::format("Regime: {}\n  {}\n\n", to_string(verdict.regime), verdict.why) +
         report::window_text(*measured.window) +
         (measured.helped_by > 0
              ? fmt::format("  measured with read_ahead {}, or it would have taken too long\n",
                            measured.helped_by)
              : "") +
         '\n' + report::advice_text(advice);
}

}  // namespace

int tune_command(const Settings& settings, const Interrupt& interrupt) {
  const auto measured = measure(open_data(settings, interrupt.token()), settings, interrupt);
  auto run = report::envelope("run");
  report::put_run(run, measured.run);
  auto json = report::head("tune");
  json["consumer_ms"] = settings.consumer_ms;
  json["runs"] = report::Json::array({std::move(run)});
  json["advice"] = json["regime"] = json["regime_why"] = nullptr;
  const bool done = measured.window && measured.run.error.empty() && !interrupt.raised();
  if (!done) {
    emit(settings, json, "");
    if (!measured.run.error.empty()) fmt::print(stderr, "weir: {}\n", measured.run.error);
    return interrupt.raised() ? interrupted_exit : failed_exit;
  }
  const auto advice = advise(measured, settings);
  json["advice"] = report::to_json(advice);
  json["regime"] = to_string(measured.verdict.regime);
  json["regime_why"] = measured.verdict.why;
  emit(settings, json, tune_text(measured, advice));
  return done_exit;
}

}  // namespace weir::cli
