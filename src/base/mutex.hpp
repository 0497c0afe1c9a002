#pragma once

#include <mutex>

#if defined(__clang__)
#define WEIR_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define WEIR_THREAD_ANNOTATION(x)
#endif
#define WEIR_CAPABILITY(x) WEIR_THREAD_ANNOTATION(capability(x))
#define WEIR_SCOPED_CAPABILITY WEIR_THREAD_ANNOTATION(scoped_lockable)
#define WEIR_GUARDED_BY(x) WEIR_THREAD_ANNOTATION(guarded_by(x))
#define WEIR_PT_GUARDED_BY(x) WEIR_THREAD_ANNOTATION(pt_guarded_by(x))
#define WEIR_RETURN_CAPABILITY(x) WEIR_THREAD_ANNOTATION(lock_returned(x))
#define WEIR_REQUIRES(...) WEIR_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#define WEIR_EXCLUDES(...) WEIR_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))
#define WEIR_ACQUIRE(...) WEIR_THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
#define WEIR_RELEASE(...) WEIR_THREAD_ANNOTATION(release_capability(__VA_ARGS__))
#define WEIR_NO_THREAD_SAFETY_ANALYSIS WEIR_THREAD_ANNOTATION(no_thread_safety_analysis)

namespace weir {

/// A std::mutex with annotations for Clang's -Wthread-safety. A thread tries for some microseconds
/// before it sleeps. Most holders need less than one, and to sleep and wake takes more.
class WEIR_CAPABILITY("mutex") Mutex {
 public:
  void lock() WEIR_ACQUIRE() { (void)locked().release(); }
  void unlock() WEIR_RELEASE() { mutex_.unlock(); }
  /// Locks it. For Lock.
  std::unique_lock<std::mutex> locked() {
    std::unique_lock lock(mutex_, std::defer_lock);
    constexpr int most_pauses = 32;
    for (int pauses = 1; pauses <= most_pauses; pauses *= 2) {
      if (lock.try_lock()) return lock;
      for (int i = 0; i < pauses; ++i) pause_core();
    }
    lock.lock();
    return lock;
  }
  std::mutex& native() noexcept { return mutex_; }

 private:
  /// Leaves the core to its other thread for some tens of cycles.
  static void pause_core() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("isb");
#endif
  }

  std::mutex mutex_;
};

class WEIR_SCOPED_CAPABILITY Lock {
 public:
  explicit Lock(Mutex& mutex) WEIR_ACQUIRE(mutex) : lock_(mutex.locked()) {}
  ~Lock() WEIR_RELEASE() = default;
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  /// For condition variables. They return with the mutex locked.
  std::unique_lock<std::mutex>& native() noexcept { return lock_; }

 private:
  std::unique_lock<std::mutex> lock_;
};

}  // namespace weir
