#include <fmt/format.h>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <nlohmann/json.hpp>
#include <span>
#include <system_error>
#include <utility>

#include "base/clock.hpp"
#include "base/file_descriptor.hpp"
#include "cli/commands.hpp"
#include "cli/data.hpp"
#include "cli/drive.hpp"
#include "cli/measure.hpp"
#include "cli/messages.hpp"
#include "cli/next_command.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "report/advice.hpp"
#include "report/json.hpp"
#include "report/stats_text.hpp"
#include "report/sweep.hpp"
#include "source/order.hpp"

namespace weir::cli {
namespace {

void require(int error, const char* what) {
  if (error != 0) throw std::system_error(error, std::generic_category(), what);
}

/// The child has its own process group, because a terminal's ^C would otherwise reach it twice.
pid_t start_self(const std::vector<std::string>& arguments, int stdout_fd) {
  std::vector<std::string> parts{"weir"};
  parts.insert(parts.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (auto& word : parts) argv.push_back(word.data());
  argv.push_back(nullptr);
  const auto pid = fork();
  if (pid == 0) {  // other threads may hold locks, so only system calls are safe
    setpgid(0, 0);
    if (dup2(stdout_fd, STDOUT_FILENO) >= 0) execv("/proc/self/exe", argv.data());
    _exit(127);
  }
  require(pid < 0 ? errno : 0, "cannot start a process");
  return pid;
}
/// The child calls this. It then gets SIGTERM when its parent process ends.
void end_with_parent() { prctl(PR_SET_PDEATHSIG, SIGTERM); }

/// Runs this program in a child process, waits for its end, and returns its stdout and its exit code: 128 + the
/// signal number if a signal ended it. The child inherits stderr. A stop request is forwarded as SIGINT. Throws
/// std::system_error if the process cannot be started.
std::pair<std::string, int> run_self(const std::vector<std::string>& arguments,
                                     const std::stop_token& stop) {
  std::array<int, 2> ends{};
  require(pipe2(ends.data(), O_CLOEXEC) == 0 ? 0 : errno, "cannot make a pipe");
  const FileDescriptor out(ends[0]);
  FileDescriptor in(ends[1]);
  const auto pid = start_self(arguments, in.value());
  in = {};
  std::string output;
  {
    const std::stop_callback pass_on(stop, [pid] { kill(pid, SIGINT); });
    std::array<char, 4096> buffer{};
    while (const auto got = read_full(out, std::as_writable_bytes(std::span(buffer))))
      output.append(buffer.data(), got);
  }
  int status = 0;
  require(retried([&] { return waitpid(pid, &status, 0); }) < 0 ? errno : 0,
          "cannot wait for a process");
  return {output, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)};
}

/// Three of them are two seconds, for each depth.
constexpr double least_run_s = 0.7, least_depth_s = 2;
constexpr std::uint64_t least_rounds = 3, most_rounds = 10;

/// Without --epochs and --steps: whole epochs until the run is long enough.
report::Run drive_one_depth(const Settings& requested, const Interrupt& interrupt) {
  auto [settings, source] = open_surveyed(requested, interrupt.token());
  const auto plan = plan_of(settings, source.index_bytes(), source.size());
  const auto label = fmt::format("max_queue_size {}", plan.max_queue_size);
  // A source without a full batch may have no batch at all.
  const bool small =
      source::positions_of(settings.options.order, source.size()) < settings.options.batch;
  if (settings.epochs || settings.steps || settings.digest || small)
    return drive(source, settings, interrupt, label);
  settings.steps = UINT64_MAX;
  Clock::time_point begun;  // of the stream, without the time that the loader took to start
  std::uint64_t batches = 0;
  return drive(source, settings, interrupt, label, [&](const Taken& now) {
    if (batches == 0) begun = Clock::now();
    const bool whole = ++batches % now.loader.batches_per_epoch() == 0;
    return !whole || seconds(Clock::now() - begun) < least_run_s;
  });
}

int sweep_one_depth(const Settings& settings, const Interrupt& interrupt) {
  end_with_parent();
  const auto run = drive_one_depth(settings, interrupt);
  auto json = report::run_report("run", run);
  json["verdict"] = nullptr;
  if (run.figures.regime) json["verdict"] = describe(judge(run.figures.queue));
  // This uses only the plan and no measurement. staging_bytes is the upper bound.
  const auto cost = run.figures.plan.cost_of(run.figures.plan.max_queue_size);
  json["predicted"] = {{"staging_bytes", cost.staging_bytes},
                       {"float16_bytes", report::or_null(cost.float16_bytes)},
                       {"float32_bytes", report::or_null(cost.float32_bytes)},
                       {"samples_per_s", nullptr},
                       {"data_readiness", nullptr},
                       {"consumer_wait", nullptr},
                       {"peak_staging_bytes", nullptr}};
  write_stdout(report::write(json));
  return exit_code(run);
}

/// Takes at most as many samples as one depth, so that the prediction does not make a short sweep
/// long.
std::optional<Interval> measure_before(const AnySource& source, const Settings& settings,
                                       const Interrupt& interrupt) {
  const auto goal = samples_to_consume(settings, settings.options.ranks, source.size());
  auto measured = measure(source, settings, interrupt, goal);
  if (!measured.run.error.empty()) return {};
  return measured.interval;
}

/// Whether every depth needs another run.
bool wants_more(const Settings& settings, std::uint64_t rounds, const report::Json& runs) {
  if (settings.rounds) return rounds < *settings.rounds;
  if (rounds < least_rounds) return true;
  if (rounds >= most_rounds) return false;
  return std::ranges::any_of(
      report::sweep_summary(runs)["by_depth"],
      [](const report::Json& depth) { return depth["seconds"] < least_depth_s; });
}

/// What follows from the conclusion: advice for the depth that it names, and the command to try next.
/// Returns the end of the text.
std::string put_next(report::Json& json, const Settings& settings,
                     const std::optional<Interval>& measured) {
  auto conclusion = json["conclusion"];
  const bool own_sizes = settings.options.sizes.mode != Sizes::fixed;
  std::string text, headline, next;
  if (conclusion["rounds"].is_number()) {
    const auto flag = fmt::format("--rounds {}", conclusion["rounds"].get<std::uint64_t>());
    next = next_command(settings, Command::sweep, flag);
  } else if (conclusion["max_queue_size"].is_null()) {
    if (measured) next = next_command(settings, Command::tune);
  } else {
    const auto enough = conclusion["max_queue_size"].get<std::uint32_t>();
    const auto flag = fmt::format("--max-queue-size {}", enough);
    if (measured && report::put_limit(json, *measured)) {
      auto interval = *measured;
      interval.plan.max_queue_size = enough;
      // The depth is measured, so no prediction changes it.
      const auto advice =
          advise(interval, {.least_queue = enough, .most_queue = enough, .predict_verdict = true});
      json["advice"] = report::to_json(advice);
      next = next_command(settings, advice, Command::run, flag);
      headline = report::headline(advice) + '\n';
      if (const auto& limit = json["limit"]; !limit.is_null())
        text = fmt::format("\nPredicted limit of any depth in a long run: {:.1f} samples/s.\n",
                           limit["samples_per_s"].get<double>());
      text += fmt::format("\nFrom max_queue_size {}:\n{}", enough, report::levers_text(advice));
    } else if (measured || own_sizes) {
      next = next_command(settings, measured ? Command::tune : Command::run, flag);
    }
  }
  if (next.empty()) return text;
  json["next"] = next;
  const auto sentence = json["verdict"].is_null() ? "" : json["verdict"].get<std::string>();
  return text + '\n' + sentence + '\n' + headline + report::next_text(next);
}

/// The report of one depth, from a child process. Discarded if the child has written none.
report::Json run_of(const Settings& settings, std::uint32_t depth, const Interrupt& interrupt,
                    int& exit_code) {
  std::vector<std::string> child{"sweep", "--only-depth", std::to_string(depth)};
  child.insert(child.end(), settings.arguments.begin() + 1, settings.arguments.end());
  const auto add = [&child](const char* option, std::uint64_t bytes) {
    child.insert(std::ranges::find(child, "--"), {option, std::to_string(bytes)});
  };
  // Computed once. Otherwise each depth would have its own budget.
  const auto& memory = settings.options.memory;
  if (!settings.budget_how.empty()) add("--memory-budget", *memory.budget_bytes);
  if (!settings.sample_how.empty()) add("--max-sample-bytes", *memory.max_sample_bytes->bytes());
  const auto [output, code] = run_self(child, interrupt.token());
  exit_code = std::max(exit_code, code);
  return report::read(output);
}

}  // namespace

int sweep_command(const Settings& requested, const Interrupt& interrupt) {
  if (requested.only_depth) return sweep_one_depth(requested, interrupt);

  auto settings = requested;
  std::optional<Interval> measured;
  const bool fixed = settings.options.sizes.mode == Sizes::fixed;
  if (fixed || settings.options.memory.max_sample_bytes == ByteBound::measured) {
    const auto opened = open_surveyed(requested, interrupt.token());
    const auto& source = opened.source;
    settings = opened.settings;
    const auto plan = plan_of(settings, source.index_bytes(), source.size());
    // Of the depths that a bound cuts to the same one, the deepest runs: its report names the bound.
    std::erase_if(settings.depths, [&](std::uint32_t depth) {
      return depth >= plan.max_queue_size && depth < plan.max_queue_size_requested;
    });
    // Predictions assume that all images have the same size.
    if (fixed) measured = measure_before(source, settings, interrupt);
  }
  int worst = done_exit;
  auto runs = report::Json::array(), finished = report::Json::array();
  // In turns, so that a slow second of the machine does not count for one depth alone.
  for (std::uint64_t round = 0;
       !interrupt.raised() && worst == done_exit && wants_more(settings, round, finished);
       ++round) {
    for (const auto depth : settings.depths) {
      if (interrupt.raised()) break;
      auto run = run_of(settings, depth, interrupt, worst);
      if (run.is_discarded()) {
        if (interrupt.raised()) break;
        return std::max(worst, failed_exit);  // the child has written the reason to stderr
      }
      if (measured) report::put_prediction(run, *measured);
      if (run["interrupted"] == false) finished.push_back(run);
      runs.push_back(std::move(run));
    }
  }

  auto json = report::head("sweep");
  json["data"] = settings.data;
  json["consumer_ms"] = settings.consumer_ms;
  json["runs"] = std::move(runs);
  json["interrupted"] = interrupt.raised();
  json["advice"] = json["limit"] = json["next"] = json["verdict"] = nullptr;
  const auto summary = report::sweep_summary(finished);
  json.update(summary);
  std::string text;
  if (interrupt.raised())
    text = fmt::format("Interrupted after {}.\n", report::plural(finished.size(), "finished run"));
  if (const auto& conclusion = summary["conclusion"]; !conclusion.is_null()) {
    json["verdict"] = conclusion["sentence"];
    text += conclusion["sentence"].get<std::string>() + "\n\n";
  }
  text += put_measured_size(json, settings);
  if (!finished.empty()) text += report::sweep_text(finished, summary);
  if (measured && settings.options.cache.keep != Cache::nothing)
    text += "samples/s, ready and waited are predicted without the cache\n";
  if (!interrupt.raised()) {
    try {
      text += put_next(json, settings, measured);
    } catch (const Error& error) {  // the measurements took minutes and are complete
      hint(settings, "there is no advice: {}", reason_of(error, settings));
    }
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
