#include "cli/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <utility>

#include "base/checked.hpp"
#include "base/clock.hpp"
#include "cli/recent.hpp"
#include "cli/say.hpp"
#include "report/bytes.hpp"

namespace weir::cli {
namespace {

constexpr auto live_interval = std::chrono::milliseconds(100);
constexpr auto plain_interval = std::chrono::seconds(5);
constexpr std::uint32_t widest_bar = 16;

std::string bar(std::uint32_t ready, std::uint32_t depth) {
  const auto width = std::min(depth, widest_bar);
  const auto filled = static_cast<std::size_t>(std::uint64_t{ready} * width / depth);
  return std::string(filled, '#') + std::string(width - filled, '-');
}

std::string time_left(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s left", whole);
  if (whole < 3600) return fmt::format("{}:{:02} min left", whole / 60, whole % 60);
  return fmt::format("{}:{:02} h left", whole / 3600, whole / 60 % 60);
}

/// A line that wraps would not be written over but below.
std::string fit_terminal(std::string line) {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    line.resize(std::min<std::size_t>(line.size(), size.ws_col - 1u));
  return line;
}

void watch(const std::stop_token& stop, const std::function<std::string()>& line) {
  const bool live = isatty(STDERR_FILENO) == 1;
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any wake;
  const Clock::duration interval =
      live ? Clock::duration(live_interval) : Clock::duration(plain_interval);
  const auto is_over = [&] { return stop.stop_requested(); };
  while (!wake.wait_for(lock, stop, interval, is_over) && !is_over()) {
    if (live)
      say("\r{}\x1b[K", fit_terminal(line()));
    else
      say("{}\n", line());
    std::fflush(stderr);
  }
  if (live) say("\r\x1b[K");
}

}  // namespace

std::optional<std::uint64_t> samples_to_consume(const Settings& settings,
                                                std::uint64_t dataset_size) {
  std::optional<std::uint64_t> goal;
  if (const auto epochs = settings.stream_epochs()) {
    const auto batch = settings.options.batch;
    goal =
        mul_sat(*epochs, settings.options.drop_last ? dataset_size / batch * batch : dataset_size);
  }
  if (settings.steps) {
    const auto stepped = mul_sat(*settings.steps, settings.options.batch);
    goal = goal ? std::min(*goal, stepped) : stepped;
  }
  if (goal == unlimited) return std::nullopt;
  return goal;
}

std::string progress_line(const Snapshot& now, const Plan& plan,
                          std::chrono::duration<double> elapsed, std::optional<std::uint64_t> goal,
                          const std::string& label, const std::optional<Window>& recent) {
  const auto done = now.samples.consumed;
  const double rate = elapsed.count() > 0 ? static_cast<double>(done) / elapsed.count() : 0;
  const double pace = recent ? static_cast<double>(recent->samples) / recent->seconds : rate;
  auto line = fmt::format("{}[{}] {}/{} ready, {} samples/s", label.empty() ? "" : label + ": ",
                          bar(now.ready, plan.max_queue_size), now.ready, plan.max_queue_size,
                          report::grouped(static_cast<std::uint64_t>(pace)));
  if (recent)
    line += fmt::format(", readiness {:.0f} %, regime {}", 100 * recent->data_readiness,
                        to_string(judge(*recent).regime));
  line += ", " + report::human_bytes(now.memory.live);
  if (plan.budget_bytes != UINT64_MAX) line += " of " + report::human_bytes(plan.budget_bytes);
  if (goal && rate > 0)
    line += ", " + time_left(static_cast<double>(*goal - std::min(done, *goal)) / rate);
  return line;
}

Progress::Progress(const Settings& settings, std::function<std::string()> line) {
  if (settings.quiet) return;
  // No memory or no thread for a line: the run goes on without.
  try {
    thread_ = std::jthread([line = std::move(line)](const std::stop_token& stop) {
      try {
        watch(stop, line);
      } catch (const std::exception&) {
      }
    });
  } catch (const std::exception&) {
  }
}

Progress::Progress(const Settings& settings, const Loader& loader, const std::string& label)
    : Progress(settings, [&loader, label, start = Clock::now(), recent = Recent(),
                          goal = samples_to_consume(settings, loader.size())]() mutable {
        const auto now = Clock::now();
        if (recent.due(now)) recent.add(loader.report(), now);
        return progress_line(loader.snapshot(), loader.plan(), now - start, goal, label,
                             recent.window());
      }) {}

void hint(const Settings& settings, const std::string& text) {
  if (settings.quiet) return;
  // Over the live line, which comes back below.
  const bool live = isatty(STDERR_FILENO) == 1;
  say("{}{}{}\n", live ? "\r" : "", text, live ? "\x1b[K" : "");
}

}  // namespace weir::cli
