#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include "api/finished.hpp"
#include "api/open_loader.hpp"
#include "api/tuning.hpp"
#include "base/mutex.hpp"
#include "engine/engine.hpp"
#include "weir/stream.hpp"

namespace weir::api {

/// Empty: never, because the time is beyond the range of the clock.
inline std::optional<Clock::time_point> deadline_after(Clock::duration timeout) noexcept {
  const auto now = Clock::now();
  if (timeout > Clock::time_point::max() - now) return std::nullopt;
  return now + timeout;
}

/// The data of a BatchStream: the loader's only engine, and its consumer.
class RunningStream {
 public:
  RunningStream(const RunningStream&) = delete;
  RunningStream& operator=(const RunningStream&) = delete;

  std::optional<Batch> next(std::optional<Clock::time_point> deadline, engine::Handoff::Lease lease)
      WEIR_EXCLUDES(consumer);
  /// Throws Error in a child of fork() and on a thread that belongs to the stream.
  void refuse_strangers(const char* call) const;
  /// Changes one knob for `call`. `option` is the option that bounds it.
  void set(const char* call, const char* option, std::uint32_t Setting::*knob, std::uint32_t value);
  /// The receipt of a batch. Its place counts from the start of what `finished` counts.
  Receipt receipt_of(const buffer::Slab& slab) const noexcept;
  /// Whether it is the newest batch that an exception has destroyed.
  bool is_thrown(std::uint64_t batch) const noexcept { return finished_->is_thrown(batch); }
  bool away() const noexcept { return loader->fork_guard.in_child(); }

  const std::shared_ptr<LoaderState> loader;
  std::unique_ptr<engine::Engine> running;
  std::optional<AutomaticTuning> tuning;
  Mutex consumer, settler, setter;  ///< held during next(), settle() and set()
  bool frees_slabs = false;         ///< at the end of the stream

 protected:
  /// Throws Error{bad_options} that begins with `call` if the loader has a stream already. `next`:
  /// the name of the call of next().
  RunningStream(std::shared_ptr<LoaderState> its_loader, const char* call, const char* next);
  /// Call end() first, where the engine uses members of the derived class.
  ~RunningStream();

  void begin(std::shared_ptr<const conductor::Supply> supply, const source::Sampler& order,
             std::uint64_t first, const std::stop_token& stop,
             std::function<void(std::uint64_t)> finished);
  /// Ends the engine. No thread may be in a call any more.
  void end() noexcept;
  /// Charges `index`. Throws Error{budget_too_small} that begins with `option`.
  void charge(std::uint64_t bytes, const char* option, const char* what);

 private:
  const char* const next_name_;
  std::shared_ptr<Finished> finished_;  ///< learns the ends of receipts
  std::uint64_t first_ = 0;             ///< the place of the first batch
  Charge charged_;
  std::uint64_t promised_ = 0;  ///< bytes of charged_ that the loader's promise does not cover
  std::optional<std::stop_callback<std::function<void()>>> on_stop_;  ///< destroyed before engine
};

}  // namespace weir::api
