#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cli/settings.hpp"
#include "weir/loader.hpp"
#include "weir/window.hpp"

namespace weir::cli {

/// The samples a run will consume, where that is known.
std::optional<std::uint64_t> samples_to_consume(const Settings& settings,
                                                std::uint64_t dataset_size);

/// What a loader did in the last few seconds. One thread.
class Recent {
 public:
  using Instant = std::chrono::steady_clock::time_point;

  /// Whether a report is due: the last one is a second old.
  bool due(Instant now) const;
  void add(const Report& report, Instant now);
  /// From a report some five seconds old, or the loader's construction, to the last one. Empty
  /// where there is none yet, or no time passed.
  std::optional<Window> window() const;
  /// In force when the last report was made; there is one.
  const Setting& setting() const { return seen_.back().report.setting; }

 private:
  struct Seen {
    Report report;
    Instant when;
  };
  std::deque<Seen> seen_;
};

/// What a line of progress has to say, from left to right.
struct ProgressField {
  std::string text;
  int rank = 0;        ///< where there is no room for all, the highest go first
  bool glued = false;  ///< a space, not a comma, stands before it
};
using ProgressLine = std::vector<ProgressField>;

/// "verify: [###-] 3/4 ready, 1,234 samples/s, readiness 98 %, regime decode, 45.10 of 64.00 MiB,
/// 12 s left". `label` may be empty. `queue`: the depth in force, which a plan bounds and tuning moves.
/// Pace, readiness and regime are those of `recent`; without, the pace is that of the whole run and the
/// others are left out.
ProgressLine progress_line(const Snapshot& now, const Plan& plan, std::uint32_t queue,
                           std::chrono::duration<double> elapsed, std::optional<std::uint64_t> goal,
                           const std::string& label, const std::optional<Window>& recent = {});

/// Where progress is shown.
struct Screen {
  bool live = false;               ///< a terminal: each line is written over the last
  std::size_t columns = SIZE_MAX;  ///< of it
};
/// What is written for `line`: of a terminal narrower than that, without the fields that matter least;
/// one that wraps would not be written over but below. A single field that is too long is cut.
std::string shown(const ProgressLine& line, const Screen& screen);

/// Writes a line about long work to stderr until it dies: over and over in one place on a terminal,
/// below one another every few seconds otherwise, never where --quiet was given.
class Progress {
 public:
  /// `line` is called from a thread of the Progress.
  Progress(const Settings& settings, std::function<ProgressLine()> line);
  /// How `loader` is doing.
  Progress(const Settings& settings, const Loader& loader, const std::string& label);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  std::jthread thread_;
};

/// Writes `text` to stderr unless --quiet was given.
void hint(const Settings& settings, const std::string& text);

}  // namespace weir::cli
