
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/data.hpp"
#include "cli/drive.hpp"
#include "cli/messages.hpp"
#include "cli/mpi_job.hpp"
#include "cli/next_command.hpp"
#include "cli/output.hpp"
#include "report/advice.hpp"
#include "report/json.hpp"
#include "report/text.hpp"

namespace weir::cli {
namespace {

/// The verdict and the next command, as JSON and as text.
std::string put_conclusion(report::Json& json, const Settings& settings, const report::Run& run,
                           const std::optional<Interval>& seen) {
  json["advice"] = json["next"] = json["verdict"] = nullptr;
  if (!run.error.empty() || run.interrupted || !run.digest.empty() ||
      run.figures.queue.batches == 0)
    return "";
  const bool own_sizes = run.figures.plan.sizes.mode != Sizes::fixed;
  if (!seen) {
    const auto next = next_command(settings, own_sizes ? Command::sweep : Command::tune);
    json["next"] = next;
    if (!run.figures.regime) return '\n' + report::next_text(next);
    const auto verdict = describe(judge(run.figures.queue));
    json["verdict"] = verdict;
    return '\n' + verdict + '\n' + report::next_text(next);
  }
  const auto advice = advise(*seen, {.target_readiness = settings.options.tuning.target_readiness});
  const auto next = next_command(settings, advice, Command::sweep);
  json["advice"] = report::to_json(advice);
  json["verdict"] = advice.sentence;
  json["next"] = next;
  return report::next_text(advice, next);
}

}  // namespace

int run_command(const Settings& settings, const Interrupt& interrupt) {
  MpiJob job(settings.joint);
  const auto [known, source] = open_surveyed(settings, interrupt.token());
  auto run = drive(source, known, interrupt, "", {}, &job);
  job.sum(run);
  auto json = report::run_report("run", run);
  json["data"] = settings.data;
  json["consumer_ms"] = settings.consumer_ms;
  if (const auto* all = job.json()) json["job"] = *all;
  const auto& planned = run.figures.plan;
  const auto seen = run.figures.regime ? run.evidence : std::nullopt;
  json["depths"] = seen ? report::depths_json(planned, predict_depths(*seen, setting_of(planned)))
                        : report::depths_json(planned, report::default_depths(planned));
  const auto conclusion = put_conclusion(json, settings, run, seen);
  write_all({[&] {
               if (job.reports())
                 emit(settings, json, report::run_text(run) + job.text() + conclusion,
                      run.pictures);
             },
             [&] {
               if (run.output_failure && !settings.joint)
                 std::rethrow_exception(run.output_failure);
             }});
  if (!job.reports()) return exit_code(run);
  // Each rank has said its own errors.
  if (!settings.joint) say_error(settings, run.error, run.figures.fault_count);
  hint_short_queue(settings, run.figures.plan);
  return exit_code(run);
}

}  // namespace weir::cli
