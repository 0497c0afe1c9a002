#pragma once

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <exception>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace weir {

/// Starts a thread with all signals blocked, so that the program's own threads handle them. Throws
/// std::system_error.
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

/// The number of threads to use: `requested`, or one per CPU that this process may use if it is 0.
unsigned threads_for(unsigned requested);

/// Calls make()(i) for each i < count on up to `threads` threads. The calling thread is one of
/// them. Each thread calls make() once for its own callable. Threads that cannot start are left
/// out. The first exception stops the work and is rethrown. After a request of `stop` no call begins.
template <class Make>
void for_each_index(std::uint64_t count, unsigned threads, const Make& make,
                    const std::stop_token& stop = {}) {
  std::atomic<std::uint64_t> next{0};
  std::mutex mutex;
  std::exception_ptr error;
  const auto work = [&]() noexcept {
    try {
      auto body = make();
      for (auto i = next++; i < count && !stop.stop_requested(); i = next++) body(i);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!error) error = std::current_exception();
      next = count;
    }
  };
  std::vector<std::thread> others;
  try {
    others.reserve(threads);
    for (std::uint64_t i = 1; i < std::min<std::uint64_t>(threads, count); ++i)
      others.push_back(start_thread(work));
  } catch (const std::exception&) {
    // The threads that started do the work.
  }
  work();
  for (auto& thread : others) thread.join();
  if (error) std::rethrow_exception(error);
}

}  // namespace weir
