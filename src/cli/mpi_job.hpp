#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "report/figures.hpp"
#include "report/json.hpp"

namespace weir::cli {

/// The ranks that mpirun has started, in a build with WEIR_MPI. One of them reports for all. In
/// other builds, and for other launchers, each process reports for itself.
class MpiJob {
 public:
  /// Whether one of these ranks reports for all.
  static bool joins(const Ranks& ranks) noexcept;
  /// Waits for the runs of all ranks. On the rank that reports, `run` is then that of all; on every
  /// rank, its error is the first one of all.
  explicit MpiJob(report::Run& run);
  /// Waits until the report is written: mpirun ends the others when a rank fails.
  ~MpiJob();
  MpiJob(const MpiJob&) = delete;
  MpiJob& operator=(const MpiJob&) = delete;

  /// Whether this process reports.
  bool reports() const noexcept { return reports_; }
  /// The ranks with the largest peak and the longest wait. Empty if there is no such job.
  const std::string& text() const noexcept { return text_; }
  /// The same; null if there is no such job.
  const report::Json& json() const noexcept { return json_; }

 private:
  [[maybe_unused]] bool joined_ = false;  ///< used in a build with MPI
  bool reports_ = true;
  std::string text_;
  report::Json json_ = nullptr;
};

}  // namespace weir::cli
