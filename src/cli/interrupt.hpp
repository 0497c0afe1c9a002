#pragma once

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <stop_token>
#include <thread>

#include "base/text_file.hpp"

namespace weir::cli {

inline constexpr int interrupted_exit = 130;

/// While it exists, SIGINT, SIGTERM and SIGHUP request a stop and do not end the program. A SIGHUP
/// that is ignored (nohup) stays ignored. A second signal ends the program at once with exit code
/// 130, unless a Keep exists; so does the first one while a text file is read, which may be a pipe
/// without a writer. Construct it before any other thread starts: it blocks these signals
/// in the calling thread and in threads that start later. Its own thread waits for the signals, so
/// no code runs inside a signal handler. They stay blocked after it: a signal while the program ends changes
/// no exit code.
class Interrupt {
 public:
  Interrupt() {
    const auto set = watched();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    thread_ = std::thread([this] { wait(); });
  }
  ~Interrupt() {
    over_ = true;
    pthread_kill(thread_.native_handle(), SIGINT);
    thread_.join();
  }
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// While it exists, a second signal does not end the program.
  class Keep {
   public:
    explicit Keep(const Interrupt& interrupt) : kept_(interrupt.kept_) { kept_ = true; }
    ~Keep() { kept_ = false; }
    Keep(const Keep&) = delete;
    Keep& operator=(const Keep&) = delete;

   private:
    std::atomic<bool>& kept_;
  };

  std::stop_token token() const noexcept { return source_.get_token(); }
  bool raised() const noexcept { return source_.stop_requested(); }

 private:
  static sigset_t watched() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    // nohup(1) starts programs that ignore SIGHUP. They shall outlive the terminal.
    struct sigaction hangup {};
    if (sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN)
      sigaddset(&set, SIGHUP);
    return set;
  }
  void wait() {
    const auto set = watched();
    for (int signal = 0; sigwait(&set, &signal) == 0;) {
      if (over_) return;
      if ((source_.stop_requested() || texts_being_read > 0) && !kept_) _exit(interrupted_exit);
      source_.request_stop();
    }
  }

  std::stop_source source_;
  std::atomic<bool> over_{false};
  mutable std::atomic<bool> kept_{false};
  std::thread thread_;
};

}  // namespace weir::cli
