#pragma once

#include <memory>
#include <optional>
#include <string>

#include "report/figures.hpp"
#include "report/json.hpp"
#include "weir/loader.hpp"

namespace weir::cli {

/// The ranks that mpirun has started, in a build with WEIR_MPI. They check that they are alike, and one
/// of them reports for all. In other builds, and for other launchers, each process reports for
/// itself, and the functions do nothing.
class MpiJob {
 public:
  /// `joined`: Settings::joint.
  explicit MpiJob(bool joined);
  /// Waits until the report is written: mpirun ends the others when a rank fails. Does nothing while
  /// an exception unwinds: the others may wait in another call. end_job() ends them.
  ~MpiJob();
  MpiJob(const MpiJob&) = delete;
  MpiJob& operator=(const MpiJob&) = delete;

  /// Throws Error{bad_options} on the rank that reports if a rank has other data or options. The
  /// others then wait for end_job().
  void check_same(const Loader& loader, const StreamOptions& options) const;
  /// Waits for the runs of all ranks. Their merged progress, on the rank that reports.
  std::optional<weir::Progress> merge(const weir::Progress& progress) const;
  /// Waits for the runs of all ranks. On the rank that reports, `run` is then that of all; on every
  /// rank, its error is the first one of all.
  void sum(report::Run& run);

  /// Whether this process reports.
  bool reports() const noexcept { return reports_; }
  /// The ranks with the largest peak and the longest wait. Empty if there is no such job.
  const std::string& text() const noexcept { return text_; }
  /// The same; null if there is no such job.
  const report::Json* json() const noexcept { return json_.get(); }
  bool joined() const noexcept { return joined_; }

 private:
  bool joined_ = false;
  bool reports_ = true;
  std::string text_;
  std::shared_ptr<const report::Json> json_;
};

/// Ends all ranks of the job with this code, and does not return. It returns if no MpiJob has joined,
/// or if it has ended.
void end_job(int exit_code) noexcept;

}  // namespace weir::cli
