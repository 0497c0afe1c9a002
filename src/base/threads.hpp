#pragma once

#include <pthread.h>

#include <csignal>
#include <thread>
#include <utility>

namespace weir {

/// A thread that takes no signals: they are the program's business. Throws std::system_error.
template <class F>
std::thread start_thread(F&& body) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread thread(std::forward<F>(body));
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return thread;
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
}

}  // namespace weir
