#pragma once

#include <condition_variable>
#include <functional>
#include <optional>
#include <thread>

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "base/wakeable.hpp"

namespace weir::engine {

/// Runs the steps that make all decisions, one at a time. A thread that can run a step does it itself
/// (run_step), so no row waits until another thread has a CPU. For the others (wake) the strand has a
/// thread. Wake-ups are merged. The thread clears the mark before the step reads the books, so no
/// wake-up is lost.
class Strand final : public Wakeable {
 public:
  ~Strand() override { stop(); }

  /// Gets whether it runs on the strand's own thread.
  using Step = std::function<void(bool own_thread)>;
  /// Runs on the strand's thread. Returns the time of its next run, or nothing.
  using Timer = std::function<std::optional<Clock::time_point>()>;
  /// `step` runs after every wake-up. `timer` runs after every step of the strand's thread and at the
  /// time that it last returned, never beside a step. Neither may throw. Call start() once.
  void start(Step step, Timer timer = {});
  /// The strand's thread runs a step. Does not allocate, and locks only a leaf mutex.
  void wake() noexcept override;
  /// Runs a step on this thread, which must hold no lock. If another thread runs one, it is wake().
  /// Only after start() has begun.
  void run_step() noexcept;
  /// Ends the thread. Its step may not be run. Later wake-ups are ignored.
  void stop() noexcept;

 private:
  void run(const Timer& timer);

  Step step_;
  Mutex running_;  ///< held during a step or the timer; locked before every other mutex
  Mutex mutex_;    ///< a leaf
  std::condition_variable woken_;
  bool due_ WEIR_GUARDED_BY(mutex_) = false, stopped_ WEIR_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace weir::engine
