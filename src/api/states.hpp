#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "api/finished.hpp"
#include "api/tuning.hpp"
#include "base/fork_guard.hpp"
#include "base/mutex.hpp"
#include "engine/engine.hpp"
#include "weir/loader.hpp"

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
  engine::StreamPlan plan_stream(const StreamOptions& requested) const;
  conductor::Schedule schedule(const StreamOptions& requested) const;
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
  std::uint64_t sample_bytes = 0;  ///< what the largest sample needs; 0: not measured
  const Options options;           ///< with measured sizes if sizes differ
  std::shared_ptr<engine::Core> core;
  Charge index;
  std::atomic<bool> streaming{false};

 private:
  mutable Mutex fingerprint_mutex_;
  mutable std::string fingerprint_ WEIR_GUARDED_BY(fingerprint_mutex_);
};

/// The data of a Stream.
class StreamState {
 public:
  StreamState(std::shared_ptr<LoaderState> its_loader, const StreamOptions& requested);
  ~StreamState();

  std::optional<Batch> next(std::optional<Clock::time_point> deadline, engine::Engine::Lease lease);
  /// Throws Error in a child of fork() and on a thread that belongs to the stream.
  void refuse_strangers(const char* call) const;
  /// Changes one knob for `call`. `option` is the option that bounds it.
  void set(const char* call, const char* option, std::uint32_t Setting::*knob, std::uint32_t value);
  Receipt receipt_of(const buffer::Slab& slab) const noexcept;
  Progress progress(bool all_ranks) const;
  bool away() const noexcept { return loader->fork_guard.in_child(); }

  const std::shared_ptr<LoaderState> loader;
  std::optional<conductor::Schedule> schedule;
  std::shared_ptr<Finished> finished;
  Charge positions;  ///< of a resumed stream
  std::unique_ptr<engine::Engine> running;
  std::optional<AutomaticTuning> tuning;
  Mutex consumer, settler, setter;  ///< held during next(), settle() and set()
  std::optional<std::stop_callback<std::function<void()>>> on_stop;  ///< destroyed before engine

 private:
  /// Charges the intervals of a resumed schedule. Throws Error{budget_too_small}.
  void charge_resumed(const conductor::Schedule& resumed);
};

}  // namespace weir::api
