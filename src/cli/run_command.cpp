#include <fmt/format.h>

#include <nlohmann/json.hpp>

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

int run_command(const Settings& settings, const Interrupt& interrupt) {
  const auto run = drive(open_data(settings, interrupt.token()), settings, interrupt, "");
  auto json = report::envelope("run");
  report::put_run(json, run);
  json["data"] = settings.data;
  json["consumer_ms"] = settings.consumer_ms;
  const auto& planned = run.figures.plan;
  if (const auto seen = evidence(run.figures))
    json["depths"] = report::depths_json(planned, by_depth(*seen, setting_of(planned)));
  else
    json["depths"] = report::depths_json(planned);
  write_all({[&] { emit(settings, json, report::run_text(run)); },
             [&] {
               if (run.trace_failure) std::rethrow_exception(run.trace_failure);
             }});
  say_error(settings, run.error, run.figures.fault_count);
  hint_short_queue(settings, run.figures.plan);
  return exit_code(run);
}

}  // namespace weir::cli
