#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "base/fork_guard.hpp"
#include "base/mutex.hpp"
#include "conductor/schedule.hpp"
#include "engine/context.hpp"
#include "plan/resolve.hpp"
#include "weir/loader.hpp"
#include "weir/progress.hpp"

namespace weir::api {

/// The data of a Loader. Its stream shares it, so loader and stream may be destroyed in any order.
/// Leases keep only the slab pool.
class LoaderState {
 public:
  LoaderState(AnySource source, const Options& requested);
  ~LoaderState();
  LoaderState(const LoaderState&) = delete;
  LoaderState& operator=(const LoaderState&) = delete;

  /// Throws Error in a child of fork().
  void refuse_in_child() const;
  engine::StreamPlan plan_stream(std::shared_ptr<const conductor::Supply> supply) const;
  conductor::Schedule schedule(const StreamOptions& requested) const;
  source::Sampler sampler() const;
  /// Computed by the first call.
  const std::string& fingerprint() const WEIR_EXCLUDES(fingerprint_mutex_);
  Progress progress(std::vector<Progress::Epochs> epochs) const;
  Report report() const;
  /// The report without the process's memory and the verdict. The kernel takes long to count the
  /// memory of a large process, and automatic tuning needs neither.
  Report figures() const;

  const ForkGuard fork_guard;
  const ProcessMemory before = process_memory();
  std::shared_ptr<MemoryLedger> ledger;
  plan::LargestSample sample;  ///< what was measured of the data
  const Options options;       ///< with what was measured
  std::shared_ptr<engine::Core> core;
  Charge index;
  std::atomic<bool> streaming{false};

 private:
  mutable Mutex fingerprint_mutex_;
  mutable std::string fingerprint_ WEIR_GUARDED_BY(fingerprint_mutex_);
};

}  // namespace weir::api
