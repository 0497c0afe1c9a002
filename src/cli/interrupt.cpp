#include "cli/interrupt.hpp"

#include <pthread.h>
#include <unistd.h>

#include <csignal>

namespace weir::cli {
namespace {

sigset_t watched() {
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

}  // namespace

Interrupt::Interrupt() {
  const auto set = watched();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  thread_ = std::thread([this] { wait(); });
}

Interrupt::~Interrupt() {
  over_ = true;
  pthread_kill(thread_.native_handle(), SIGINT);
  thread_.join();
  const auto set = watched();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void Interrupt::wait() {
  const auto set = watched();
  for (int signal = 0; sigwait(&set, &signal) == 0;) {
    if (over_) return;
    if (source_.stop_requested()) _exit(interrupted_exit);
    source_.request_stop();
  }
}

}  // namespace weir::cli
