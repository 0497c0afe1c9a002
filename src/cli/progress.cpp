#include "cli/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "base/checked.hpp"
#include "base/pause.hpp"
#include "base/text.hpp"
#include "cli/output.hpp"
#include "cli/recent.hpp"
#include "cli/rows.hpp"
#include "report/bytes.hpp"
#include "report/figures.hpp"

namespace weir::cli {
namespace {

constexpr Clock::duration live_interval = std::chrono::milliseconds(100),
                          plain_interval = std::chrono::seconds(5);
constexpr std::uint32_t widest_bar = 16;

std::string bar(std::uint32_t ready, std::uint32_t depth) {
  const auto width = std::min(depth, widest_bar);
  const auto filled = static_cast<std::size_t>(std::uint64_t{ready} * width / depth);
  return std::string(filled, '#') + std::string(width - filled, '-');
}

std::string pace_text(double rate) {
  // Less than what is rounded to 10.
  if (rate < 9.95) return fmt::format("{:.1f}", rate);
  return report::grouped(static_cast<std::uint64_t>(std::llround(rate)));
}

std::string time_left(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s left", whole);
  if (whole < 3600) return fmt::format("{}:{:02} min left", whole / 60, whole % 60);
  return fmt::format("{}:{:02} h left", whole / 3600, whole / 60 % 60);
}

/// For example "45.00 of 64.00 MiB" or "512.00 KiB of 64.00 MiB".
std::string held(std::uint64_t live, std::optional<std::uint64_t> budget) {
  auto text = report::human_bytes(live);
  if (!budget) return text;
  const auto bound = report::human_bytes(*budget);
  const auto unit = bound.substr(bound.find(' '));
  if (text.ends_with(unit)) text.resize(text.size() - unit.size());
  return text + " of " + bound;
}

Screen screen_now() {
  Screen screen{.live = isatty(STDERR_FILENO) == 1};
  winsize size{};
  if (screen.live && ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    screen.columns = size.ws_col;
  return screen;
}

void watch(const std::stop_token& stop, const std::function<ProgressLine()>& line) {
  const bool live = screen_now().live;
  while (pause(stop, live ? live_interval : plain_interval)) {
    say("{}", shown(line(), screen_now()));
    std::fflush(stderr);
  }
  if (live) say("\r\x1b[K");
}

}  // namespace

std::uint64_t samples_to_consume(const Settings& settings, const Ranks& ranks,
                                 std::uint64_t samples) {
  return schedule_of(settings, ranks, samples).samples(settings.steps.value_or(unlimited));
}

ProgressLine progress_line(const Snapshot& now, const Plan& plan, std::uint32_t queue,
                           std::chrono::duration<double> elapsed, std::optional<std::uint64_t> goal,
                           const std::string& label, const std::optional<Interval>& recent) {
  // The first is dropped last.
  enum Rank : int { pace, left, bytes, regime, depth, name, readiness, picture };
  // A sample that failed is replaced, or it leaves a blank row.
  const auto done = now.samples.consumed + (report::has_blank_rows(plan) ? now.samples.failed : 0);
  const double rate = elapsed.count() > 0 ? static_cast<double>(done) / elapsed.count() : 0;
  const double recent_rate = recent ? static_cast<double>(recent->samples) / recent->seconds : rate;
  queue = std::max(queue, 1u);
  ProgressLine line;
  if (!label.empty()) line.push_back({label + ":", name});
  // After a shrink of the queue, more batches can be ready than it has slots.
  line.push_back({fmt::format("[{}]", bar(std::min(now.ready, queue), queue)), picture, true});
  line.push_back({fmt::format("{}/{} ready", now.ready, queue), depth, true});
  line.push_back({fmt::format("{} {}/s", pace_text(recent_rate), report::counted(plan)), pace});
  if (recent) {
    line.push_back({"readiness " + percent(recent->data_readiness, 0), readiness});
    line.push_back({fmt::format("regime {}", to_string(judge(*recent).regime)), regime});
  }
  line.push_back({held(now.memory.live, plan.budget_bytes), bytes});
  if (goal && rate > 0)
    line.push_back({time_left(static_cast<double>(*goal - std::min(done, *goal)) / rate), left});
  return line;
}

std::string shown(const ProgressLine& line, const Screen& screen) {
  auto fields = line;
  const auto text = [&] {
    std::string all;
    for (const auto& field : fields)
      all += (all.empty() ? "" : field.glued ? " " : ", ") + field.text;
    return all;
  };
  if (!screen.live) return text() + '\n';
  // The cursor needs one column after the last character.
  const auto room = std::max<std::size_t>(screen.columns, 1) - 1;
  while (fields.size() > 1 && text().size() > room)
    fields.erase(std::ranges::max_element(fields, {}, &ProgressField::rank));
  return '\r' + text().substr(0, room) + "\x1b[K";
}

Progress::Progress(const Settings& settings, std::function<ProgressLine()> line) {
  if (settings.quiet) return;
  // If memory or a thread is missing, the run continues without progress lines.
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
    : Progress(settings, [&loader, label, start = Clock::now(), recent = Recent(Clock::now()),
                          digest = settings.digest,
                          goal = limit_of(samples_to_consume(settings, loader.plan().ranks,
                                                             loader.size()))]() mutable {
        const auto now = Clock::now();
        recent.look(loader, now);
        return progress_line(loader.snapshot(), loader.plan(), recent.last().setting.max_queue_size,
                             now - start, goal, label, digest ? std::nullopt : recent.interval());
      }) {}

}  // namespace weir::cli
