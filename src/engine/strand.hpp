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

/// The thread that makes all decisions. It alone runs an io_context, which makes the context an
/// implicit strand (Asio: "only one thread calls run()"). There is one handler with one
/// preallocated node. A wake-up is not queued twice. The handler clears the mark before it reads
/// the books, so no wake-up is lost. wake() does not allocate, and only locks Asio's queue.
class Strand final : public Wakeable {
 public:
  Strand();
  ~Strand() override;
  Strand(const Strand&) = delete;
  Strand& operator=(const Strand&) = delete;

  /// Runs on the strand's thread. Returns the time of its next run, or nothing.
  using Timer = std::function<std::optional<Clock::time_point>()>;
  /// `step` runs on the strand's thread after every wake-up. `timer` runs after every step and at
  /// the time that it last returned. Call start() once.
  void start(std::function<void()> step, Timer timer = {});
  void wake() noexcept override;
  /// Ends the thread. A queued wake-up may not be run. Later wake-ups are ignored.
  void stop() noexcept;

 private:
  template <class T>
  struct NodeAllocator;
  struct Handler;
  struct Context;  ///< hides Asio's long headers
  void run(const Timer& timer);

  std::unique_ptr<Context> context_;
  std::function<void()> step_;
  std::atomic<bool> queued_{false};
  alignas(std::max_align_t) std::array<std::byte, 256> node_{};
  std::thread thread_;
};

}  // namespace weir::engine
