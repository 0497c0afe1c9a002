#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <stop_token>

#include "api/tuning.hpp"
#include "base/fork_guard.hpp"
#include "base/mutex.hpp"
#include "engine/engine.hpp"
#include "weir/loader.hpp"

namespace weir::api {

/// What a Loader owns; shared with its stream so that either may go first. Leases need less: the
/// slab pool alone.
class LoaderState {
 public:
  LoaderState(AnySource source, const Options& requested);
  ~LoaderState();
  LoaderState(const LoaderState&) = delete;
  LoaderState& operator=(const LoaderState&) = delete;

  /// Throws Error in a child of fork().
  void refuse_in_child() const;
  engine::StreamPlan plan_stream(const StreamOptions& requested) const;
  Report report() const;

  const ForkGuard fork_guard;
  const ProcessMemory before = process_memory();
  std::shared_ptr<MemoryLedger> ledger;
  const Options options;  ///< sizes measured where they differ
  std::shared_ptr<engine::Core> core;
  Charge index;
  std::atomic<bool> streaming{false};
};

/// What a Stream owns.
class StreamState {
 public:
  StreamState(std::shared_ptr<LoaderState> its_loader, const StreamOptions& requested);
  ~StreamState();

  std::optional<Batch> next(std::optional<Clock::time_point> deadline, engine::Engine::Lease lease);
  /// Throws Error in a child of fork() and on a thread of the stream's own.
  void refuse_strangers(const char* call) const;
  bool away() const noexcept { return loader->fork_guard.in_child(); }

  const std::shared_ptr<LoaderState> loader;
  std::unique_ptr<engine::Engine> running;
  std::optional<AutomaticTuning> tuning;
  Mutex consumer, settler;  ///< held by who is in next(), in settle()
  std::optional<std::stop_callback<std::function<void()>>> on_stop;  ///< dies before the engine
};

}  // namespace weir::api
