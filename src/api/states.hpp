#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "api/finished.hpp"
#include "api/tuning.hpp"
#include "base/fork_guard.hpp"
#include "base/mutex.hpp"
#include "engine/engine.hpp"
#include "plan/resolve.hpp"
#include "weir/loader.hpp"
#include "weir/requests.hpp"

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

/// The only live stream of a loader.
class OnlyStream {
 public:
  /// Throws Error{bad_options} that begins with `call` if there is one already.
  OnlyStream(LoaderState& loader, const char* call);
  ~OnlyStream() { loader_.streaming.store(false); }
  OnlyStream(const OnlyStream&) = delete;
  OnlyStream& operator=(const OnlyStream&) = delete;

 private:
  LoaderState& loader_;
};

/// Empty: never, because the time is beyond the range of the clock.
inline std::optional<Clock::time_point> deadline_after(Clock::duration timeout) noexcept {
  const auto now = Clock::now();
  if (timeout > Clock::time_point::max() - now) return std::nullopt;
  return now + timeout;
}

/// The data of a Stream, or of Requests.
class StreamState {
 public:
  StreamState(std::shared_ptr<LoaderState> its_loader, const StreamOptions& requested);
  /// A part of a schedule. `batches` learns what is finished, by its place in the schedule.
  StreamState(std::shared_ptr<LoaderState> its_loader,
              std::shared_ptr<const conductor::ScheduledSupply> supply,
              std::shared_ptr<FinishedBatches> batches, const std::stop_token& stop);
  StreamState(std::shared_ptr<LoaderState> its_loader, const RequestOptions& requested);
  ~StreamState();

  std::optional<Batch> next(std::optional<Clock::time_point> deadline, engine::Engine::Lease lease);
  /// As Requests::try_ask(). `call` is for messages.
  bool ask(const char* call, std::span<const std::uint64_t> indices);
  /// Of Requests: whether all that was asked for is taken, and the stream has not ended.
  bool all_taken() WEIR_EXCLUDES(consumer);
  /// Throws Error in a child of fork() and on a thread that belongs to the stream.
  void refuse_strangers(const char* call) const;
  /// Changes one knob for `call`. `option` is the option that bounds it.
  void set(const char* call, const char* option, std::uint32_t Setting::*knob, std::uint32_t value);
  Receipt receipt_of(const buffer::Slab& slab) const noexcept;
  Progress progress(bool all_ranks) const;
  bool away() const noexcept { return loader->fork_guard.in_child(); }

  const std::shared_ptr<LoaderState> loader;
  const OnlyStream only;
  const std::shared_ptr<const conductor::ScheduledSupply> scheduled;  ///< null for Requests
  std::shared_ptr<conductor::RequestList> requests;                   ///< null for a Stream
  std::shared_ptr<Finished> finished;  ///< FinishedBatches if scheduled, FinishedRequests if not
  Charge positions;                    ///< of a resumed stream, or of the list of requests
  std::unique_ptr<engine::Engine> running;
  bool frees_slabs = false;  ///< at the end of the stream
  std::optional<AutomaticTuning> tuning;
  Mutex consumer, settler, setter;  ///< held during next(), settle() and set()
  ImageSize replacement;  ///< of Requests: the largest that may stand for a sample of unknown size
  std::uint64_t taken WEIR_GUARDED_BY(consumer) = 0;                 ///< batches
  std::optional<std::stop_callback<std::function<void()>>> on_stop;  ///< destroyed before engine

 private:
  void begin(const engine::StreamPlan& plan, const std::stop_token& stop);
  /// Charges the intervals of a resumed stream. Throws Error{budget_too_small}.
  void charge_resumed();
  /// Charges `index`. Throws Error{budget_too_small} that begins with `option`.
  void charge(std::uint64_t bytes, const char* option, const char* what);
  void check(const char* call, std::span<const std::uint64_t> indices) const;
  /// Bytes of the slab for these samples, at most, if sizes differ.
  std::uint64_t most_bytes(std::span<const std::uint64_t> indices) const;
};

}  // namespace weir::api
