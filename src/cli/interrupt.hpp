#pragma once

#include <atomic>
#include <stop_token>
#include <thread>

namespace weir::cli {

/// While it exists, SIGINT, SIGTERM and SIGHUP request a stop and do not end the program. A SIGHUP
/// that is ignored (nohup) stays ignored. A second signal ends the program at once with exit code
/// 130. Construct it before any other thread starts: it blocks these signals in the calling thread and in threads that start later. Its own thread waits
/// for the signals, so no code runs inside a signal handler.
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
