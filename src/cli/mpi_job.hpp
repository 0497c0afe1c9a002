#pragma once

#include <memory>
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
  /// Waits until the report is written: mpirun ends the others when a rank fails.
  ~MpiJob();
  MpiJob(const MpiJob&) = delete;
  MpiJob& operator=(const MpiJob&) = delete;

  /// Throws Error{bad_options} on every rank if a rank has other data or options.
  void check_same(const Loader& loader, const StreamOptions& options) const;
  /// Waits for the runs of all ranks and writes their merged progress to `file` if it is not empty.
  void save(const weir::Progress& progress, const std::string& file) const;
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

}  // namespace weir::cli
