#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cli/settings.hpp"
#include "weir/advice.hpp"
#include "weir/loader.hpp"

namespace weir::cli {

/// The number of samples of a source of `samples` that a run of this rank will consume. UINT64_MAX:
/// endless.
std::uint64_t samples_to_consume(const Settings& settings, const Ranks& ranks,
                                 std::uint64_t samples);

/// One field of a progress line.
struct ProgressField {
  std::string text;
  int rank = 0;        ///< the fields with the highest rank are dropped first
  bool glued = false;  ///< separated by a space and not by a comma
};
using ProgressLine = std::vector<ProgressField>;

/// "verify: [###-] 3/4 ready, 1,234 samples/s, readiness 98 %, regime decode, 45.10 of 64.00 MiB,
/// 12 s left". `label` may be empty. `queue` is the current queue size. The plan limits it and tuning
/// changes it. Throughput, readiness and regime come from `recent`. Without `recent`, the throughput
/// is the mean of the whole run, and readiness and regime are left out.
ProgressLine progress_line(const Snapshot& now, const Plan& plan, std::uint32_t queue,
                           std::chrono::duration<double> elapsed, std::optional<std::uint64_t> goal,
                           const std::string& label, const std::optional<Interval>& recent = {});

/// The output device of the progress line.
struct Screen {
  bool live = false;               ///< true for a terminal: each line overwrites the last one
  std::size_t columns = SIZE_MAX;  ///< width of the terminal
};
/// The text for `line`. If a terminal is too narrow, the fields with the highest ranks are left out,
/// because a wrapped line cannot be overwritten. A single field that is too long is cut.
std::string shown(const ProgressLine& line, const Screen& screen);

/// Writes progress lines to stderr while it exists. On a terminal each line overwrites the last one.
/// Otherwise it writes a new line every few seconds. With --quiet it writes nothing.
class Progress {
 public:
  /// The Progress calls `line` in its own thread.
  Progress(const Settings& settings, std::function<ProgressLine()> line);
  /// The line is one text.
  Progress(const Settings& settings, std::function<std::string()> text)
      : Progress(settings, std::function<ProgressLine()>(
                               [text = std::move(text)] { return ProgressLine{{text()}}; })) {}
  /// Shows the progress of `loader`.
  Progress(const Settings& settings, const Loader& loader, const std::string& label);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  std::jthread thread_;
};

}  // namespace weir::cli
