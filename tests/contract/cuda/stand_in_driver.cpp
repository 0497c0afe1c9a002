// A libcuda.so.1 without a device: each stream is a thread that does its work in order. It
// implements the functions that weir and these tests call, with the driver's results. On request it
// fails or is slow.
#include "stand_in_driver.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int success = 0, invalid_value = 1, out_of_memory = 2, invalid_context = 201,
              invalid_handle = 400, not_ready = 600, already_registered = 712, not_registered = 713;

struct Failure {
  int result = 0, let_pass = 0, times = 0;
};

}  // namespace

struct CUctx_st {
  int retained = 0;
};

struct CUevent_st {
  struct State {
    std::uint64_t recorded = 0, reached = 0;  ///< guarded by the driver's mutex
  };
  std::shared_ptr<State> state = std::make_shared<State>();  ///< outlives the event in a stream
};

struct CUstream_st {
  std::deque<std::function<void()>> work;  ///< guarded by the driver's mutex
  bool busy = false, over = false, capturing = false;
  std::thread thread;
};

namespace {

struct Driver {
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, Failure> failures;
  std::map<std::string, int> calls;
  std::map<const char*, std::size_t> locked;
  std::size_t locked_bytes = 0, lock_limit = std::numeric_limits<std::size_t>::max();
  std::chrono::microseconds slow{0};
  int events = 0, copies = 0, locked_copies = 0;
  CUctx_st primary;

  /// The result that the call must return without doing its work; 0: do it.
  int enter(const char* call) {
    const std::lock_guard lock(mutex);
    if (const auto found = failures.find(call); found != failures.end()) {
      auto& failure = found->second;
      if (failure.let_pass > 0)
        --failure.let_pass;
      else if (failure.times-- > 0)
        return failure.result;
    }
    ++calls[call];
    return success;
  }
};

// Never destroyed: static objects of the program may call it until the end.
Driver& it() {
  static auto& driver = *new Driver;
  return driver;
}

thread_local std::vector<CUctx_st*> contexts;

/// With a real driver, the runtime API makes the primary context current. Here a test does.
int give(CUstream_st* stream, std::function<void()> work) {
  auto& driver = it();
  {
    const std::lock_guard lock(driver.mutex);
    if (!stream || stream->over) return invalid_handle;
    stream->work.push_back(std::move(work));
  }
  driver.changed.notify_all();
  return success;
}

void run(CUstream_st& stream) {
  auto& driver = it();
  std::unique_lock lock(driver.mutex);
  for (;;) {
    driver.changed.wait(lock, [&] { return stream.over || !stream.work.empty(); });
    if (stream.work.empty()) return;
    auto work = std::move(stream.work.front());
    stream.work.pop_front();
    stream.busy = true;
    lock.unlock();
    work();
    work = nullptr;
    lock.lock();
    stream.busy = false;
    driver.changed.notify_all();
  }
}

}  // namespace

#define ENTER(call) \
  if (const int failed = it().enter(call); failed != success) return failed

extern "C" {

// ---- control by tests ---------------------------------------------------------------------------

void stand_in_reset() {
  auto& driver = it();
  const std::lock_guard lock(driver.mutex);
  driver.failures.clear();
  driver.calls.clear();
  driver.slow = {};
  driver.lock_limit = std::numeric_limits<std::size_t>::max();
  driver.copies = driver.locked_copies = 0;
}

void stand_in_fail(const char* call, int result, int let_pass, int times) {
  const std::lock_guard lock(it().mutex);
  it().failures[call] = {result, let_pass, times};
}

void stand_in_slow_copies(int microseconds) {
  const std::lock_guard lock(it().mutex);
  it().slow = std::chrono::microseconds(microseconds);
}

void stand_in_lock_limit(std::size_t bytes) {
  const std::lock_guard lock(it().mutex);
  it().lock_limit = bytes;
}

int stand_in_calls(const char* call) {
  const std::lock_guard lock(it().mutex);
  return it().calls[call];
}

std::size_t stand_in_locked() {
  const std::lock_guard lock(it().mutex);
  return it().locked_bytes;
}

int stand_in_events() {
  const std::lock_guard lock(it().mutex);
  return it().events;
}

int stand_in_retained() {
  const std::lock_guard lock(it().mutex);
  return it().primary.retained;
}

int stand_in_copies() {
  const std::lock_guard lock(it().mutex);
  return it().copies;
}

int stand_in_locked_copies() {
  const std::lock_guard lock(it().mutex);
  return it().locked_copies;
}

// ---- called by weir -----------------------------------------------------------------------------

int cuInit(unsigned) {
  ENTER("cuInit");
  return success;
}

int cuGetErrorName(int error, const char** name) {
  *name = error == out_of_memory ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_OF_THE_STAND_IN";
  return success;
}

int cuGetErrorString(int error, const char** text) {
  if (error < 0) return invalid_value;
  *text = error == out_of_memory ? "out of memory" : "as the test wants it";
  return success;
}

int cuDeviceGet(int* device, int ordinal) {
  ENTER("cuDeviceGet");
  *device = ordinal;
  return success;
}

int cuDevicePrimaryCtxRetain(CUctx_st** context, int) {
  ENTER("cuDevicePrimaryCtxRetain");
  const std::lock_guard lock(it().mutex);
  ++it().primary.retained;
  *context = &it().primary;
  return success;
}

int cuDevicePrimaryCtxRelease_v2(int) {
  ENTER("cuDevicePrimaryCtxRelease");
  const std::lock_guard lock(it().mutex);
  --it().primary.retained;
  return success;
}

int cuCtxGetCurrent(CUctx_st** context) {
  ENTER("cuCtxGetCurrent");
  *context = contexts.empty() ? nullptr : contexts.back();
  return success;
}

int cuCtxPushCurrent_v2(CUctx_st* context) {
  ENTER("cuCtxPushCurrent");
  contexts.push_back(context);
  return success;
}

int cuCtxPopCurrent_v2(CUctx_st** context) {
  if (contexts.empty()) return invalid_context;
  *context = contexts.back();
  contexts.pop_back();
  return success;
}

int cuMemHostRegister_v2(void* data, std::size_t bytes, unsigned) {
  ENTER("cuMemHostRegister");
  if (contexts.empty()) return invalid_context;
  auto& driver = it();
  const std::lock_guard lock(driver.mutex);
  if (driver.locked.count(static_cast<const char*>(data)) > 0) return already_registered;
  if (bytes > driver.lock_limit || driver.locked_bytes > driver.lock_limit - bytes)
    return out_of_memory;
  driver.locked[static_cast<const char*>(data)] = bytes;
  driver.locked_bytes += bytes;
  return success;
}

int cuMemHostUnregister(void* data) {
  ENTER("cuMemHostUnregister");
  if (contexts.empty()) return invalid_context;
  auto& driver = it();
  const std::lock_guard lock(driver.mutex);
  const auto found = driver.locked.find(static_cast<const char*>(data));
  if (found == driver.locked.end()) return not_registered;
  driver.locked_bytes -= found->second;
  driver.locked.erase(found);
  return success;
}

int cuStreamGetCtx(CUstream_st*, CUctx_st** context) {
  ENTER("cuStreamGetCtx");
  *context = &it().primary;
  return success;
}

int cuStreamIsCapturing(CUstream_st* stream, int* status) {
  ENTER("cuStreamIsCapturing");
  const std::lock_guard lock(it().mutex);
  *status = stream && stream->capturing ? 1 : 0;
  return success;
}

int cuStreamSynchronize(CUstream_st* stream) {
  ENTER("cuStreamSynchronize");
  if (!stream) return success;
  std::unique_lock lock(it().mutex);
  it().changed.wait(lock, [&] { return stream->work.empty() && !stream->busy; });
  return success;
}

int cuEventCreate(CUevent_st** event, unsigned) {
  ENTER("cuEventCreate");
  if (contexts.empty()) return invalid_context;
  const std::lock_guard lock(it().mutex);
  *event = new CUevent_st;
  ++it().events;
  return success;
}

int cuEventDestroy_v2(CUevent_st* event) {
  ENTER("cuEventDestroy");
  const std::lock_guard lock(it().mutex);
  --it().events;
  delete event;
  return success;
}

int cuEventRecord(CUevent_st* event, CUstream_st* stream) {
  ENTER("cuEventRecord");
  const auto state = event->state;
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(it().mutex);
    number = ++state->recorded;
    if (!stream) state->reached = number;  // the default stream is empty
  }
  if (!stream) return success;
  return give(stream, [state, number] {
    const std::lock_guard lock(it().mutex);
    state->reached = number;
  });
}

int cuEventQuery(CUevent_st* event) {
  ENTER("cuEventQuery");
  const std::lock_guard lock(it().mutex);
  return event->state->reached == event->state->recorded ? success : not_ready;
}

// ---- called by the tests ------------------------------------------------------------------------

int cuCtxSetCurrent(CUctx_st* context) {
  contexts.clear();
  if (context) contexts.push_back(context);
  return success;
}

int cuStreamCreate(CUstream_st** stream, unsigned) {
  *stream = new CUstream_st;
  (*stream)->thread = std::thread([made = *stream] { run(*made); });
  return success;
}

int cuStreamDestroy_v2(CUstream_st* stream) {
  {
    const std::lock_guard lock(it().mutex);
    stream->over = true;
  }
  it().changed.notify_all();
  stream->thread.join();
  delete stream;
  return success;
}

int cuStreamBeginCapture_v2(CUstream_st* stream, int) {
  const std::lock_guard lock(it().mutex);
  stream->capturing = true;
  return success;
}

int cuStreamEndCapture(CUstream_st* stream, void** graph) {
  const std::lock_guard lock(it().mutex);
  stream->capturing = false;
  *graph = nullptr;
  return success;
}

int cuLaunchHostFunc(CUstream_st* stream, void (*function)(void*), void* data) {
  return give(stream, [function, data] { function(data); });
}

int cuMemAlloc_v2(std::uintptr_t* device, std::size_t bytes) {
  *device = reinterpret_cast<std::uintptr_t>(std::malloc(bytes));
  return *device ? success : out_of_memory;
}

int cuMemFree_v2(std::uintptr_t device) {
  std::free(reinterpret_cast<void*>(device));
  return success;
}

int cuMemcpyHtoDAsync_v2(std::uintptr_t device, const void* host, std::size_t bytes,
                         CUstream_st* stream) {
  return give(stream, [device, host, bytes] {
    auto& driver = it();
    std::chrono::microseconds slow;
    {
      const std::lock_guard lock(driver.mutex);
      const auto* const from = static_cast<const char*>(host);
      auto next = driver.locked.upper_bound(from);
      const bool locked = next != driver.locked.begin() &&
                          from + bytes <= std::prev(next)->first + std::prev(next)->second;
      ++driver.copies;
      if (locked) ++driver.locked_copies;
      slow = driver.slow;
    }
    if (slow.count() > 0) std::this_thread::sleep_for(slow);
    std::memcpy(reinterpret_cast<void*>(device), host, bytes);
  });
}

int cuMemcpyDtoH_v2(void* host, std::uintptr_t device, std::size_t bytes) {
  std::memcpy(host, reinterpret_cast<void*>(device), bytes);
  return success;
}
}
