#pragma once

#include <atomic>
#include <stop_token>
#include <thread>

namespace weir::cli {

/// While it lives, SIGINT and SIGTERM ask for a stop instead of ending the program; a second one
/// ends it at once with exit code 130. Make it before any other thread: it blocks both signals in
/// the calling thread and those started later, and one thread of its own waits for them, so nothing
/// runs inside a signal handler.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  std::stop_token token() const noexcept { return source_.get_token(); }
  bool raised() const noexcept { return source_.stop_requested(); }

 private:
  void wait();

  std::stop_source source_;
  std::atomic<bool> over_{false};
  std::thread thread_;
};

inline constexpr int interrupted_exit = 130;

}  // namespace weir::cli
