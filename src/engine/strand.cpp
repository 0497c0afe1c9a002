#include "engine/strand.hpp"

#include <mutex>
#include <utility>

#include "base/threads.hpp"

namespace weir::engine {

void Strand::start(Step step, Timer timer) {
  step_ = std::move(step);
  thread_ = start_thread([this, timer = std::move(timer)] { run(timer); });
}

void Strand::run(const Timer& timer) {
  std::optional<Clock::time_point> next;
  for (;;) {
    if (timer) {
      Lock alone(running_);
      next = timer();
    }
    bool due = false;
    {
      Lock lock(mutex_);
      const auto called = [this]() WEIR_NO_THREAD_SAFETY_ANALYSIS { return due_ || stopped_; };
      if (next)
        woken_.wait_until(lock.native(), *next, called);
      else
        woken_.wait(lock.native(), called);
      if (stopped_) return;
      due = std::exchange(due_, false);
    }
    if (!due) continue;  // the timer is
    Lock alone(running_);
    step_(true);
  }
}

void Strand::wake() noexcept {
  {
    Lock lock(mutex_);
    if (std::exchange(due_, true)) return;
  }
  woken_.notify_one();
}

void Strand::run_step() noexcept {
  const std::unique_lock alone(running_.native(), std::try_to_lock);
  if (alone)
    step_(false);
  else
    wake();
}

void Strand::stop() noexcept {
  {
    Lock lock(mutex_);
    stopped_ = true;
    woken_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

}  // namespace weir::engine
