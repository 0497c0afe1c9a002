#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

#include "base/clock.hpp"
#include "base/wakeable.hpp"

namespace weir::engine {

/// Where decisions are made: one thread that runs one io_context, which makes the context an
/// implicit strand (Asio: "only one thread calls run()"). One handler, one preallocated node: a
/// wake-up that is still queued is not queued again, and the handler clears the mark before it
/// looks, so no wake-up is lost. wake() neither allocates nor blocks on anything but Asio's queue.
class Strand final : public Wakeable {
 public:
  Strand();
  ~Strand() override;
  Strand(const Strand&) = delete;
  Strand& operator=(const Strand&) = delete;

  /// Runs on the strand's thread; gives when it is to run next, or nothing.
  using Timer = std::function<std::optional<Clock::time_point>()>;
  /// `step` runs on the strand's thread after every wake-up. `timer` runs after every step, and when the time
  /// that it gave last has come. Call once.
  void start(std::function<void()> step, Timer timer = {});
  void wake() noexcept override;
  /// Ends the thread; a queued wake-up may not be run. Wake-ups after it are ignored.
  void stop() noexcept;

 private:
  template <class T>
  struct NodeAllocator;
  struct Handler;
  struct Context;  ///< Asio's, whose headers are long
  void run(const Timer& timer);

  std::unique_ptr<Context> context_;
  std::function<void()> step_;
  std::atomic<bool> queued_{false};
  alignas(std::max_align_t) std::array<std::byte, 256> node_{};
  std::thread thread_;
};

}  // namespace weir::engine
