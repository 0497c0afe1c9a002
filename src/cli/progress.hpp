#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "cli/settings.hpp"
#include "weir/loader.hpp"
#include "weir/window.hpp"

namespace weir::cli {

/// The samples a run will consume, where that is known.
std::optional<std::uint64_t> samples_to_consume(const Settings& settings,
                                                std::uint64_t dataset_size);

/// "queue 4: [###-] 3/4 ready, 1,234 samples/s, readiness 98 %, regime decode, 45.10 MiB of 64.00 MiB,
/// 12 s left", in one line. `label` may be empty. Pace, readiness and regime are those of `recent`;
/// without, the pace is that of the whole run and the others are left out.
std::string progress_line(const Snapshot& now, const Plan& plan,
                          std::chrono::duration<double> elapsed, std::optional<std::uint64_t> goal,
                          const std::string& label, const std::optional<Window>& recent = {});

/// Writes a line about long work to stderr until it dies: over and over in one place on a terminal,
/// below one another every few seconds otherwise, never where --quiet was given.
/// On a terminal it is cut to its width.
class Progress {
 public:
  /// `line` is called from a thread of the Progress.
  Progress(const Settings& settings, std::function<std::string()> line);
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
