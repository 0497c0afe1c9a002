#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <semaphore>
#include <span>
#include <vector>

#include "stand_in_driver.hpp"

struct CUctx_st;
struct CUstream_st;

namespace weir::test {

/// CUDA's driver as a test calls it: the stand-in, or the machine's driver if WEIR_CUDA=real is in
/// the environment. weir uses the same one, because dlopen finds a loaded library by its name.
struct Device {
  Device();

  bool real = false;
  CUctx_st* context = nullptr;  ///< the primary context of device 0

  int (*CtxSetCurrent)(CUctx_st* context);
  int (*StreamCreate)(CUstream_st** stream, unsigned flags);
  int (*StreamDestroy)(CUstream_st* stream);
  int (*StreamSynchronize)(CUstream_st* stream);
  int (*StreamBeginCapture)(CUstream_st* stream, int mode);
  int (*StreamEndCapture)(CUstream_st* stream, void** graph);
  int (*LaunchHostFunc)(CUstream_st* stream, void (*function)(void*), void* data);
  int (*MemAlloc)(std::uintptr_t* device, std::size_t bytes);
  int (*MemFree)(std::uintptr_t device);
  int (*MemcpyHtoDAsync)(std::uintptr_t device, const void* host, std::size_t bytes,
                         CUstream_st* stream);
  int (*MemcpyDtoH)(void* host, std::uintptr_t device, std::size_t bytes);

  // Null with a real driver.
  decltype(&stand_in_reset) reset;
  decltype(&stand_in_fail) fail;
  decltype(&stand_in_slow_copies) slow_copies;
  decltype(&stand_in_lock_limit) lock_limit;
  decltype(&stand_in_calls) calls;
  decltype(&stand_in_locked) locked;
  decltype(&stand_in_events) events;
  decltype(&stand_in_retained) retained;
  decltype(&stand_in_copies) copies;
  decltype(&stand_in_locked_copies) locked_copies;
};

/// The driver of this process. Throws if there is none.
Device& device();
/// A driver in its initial state. Its context is the calling thread's.
Device& fresh_device();

/// True if a test case can run here. Otherwise it prints a note, and CTest reports the test as skipped.
bool only_with_stand_in();

/// A copy to the device and its result.
class DeviceCopy {
 public:
  DeviceCopy(std::span<const std::uint8_t> host, CUstream_st* stream);
  DeviceCopy(DeviceCopy&& other) noexcept;
  ~DeviceCopy();
  /// True if the device has the data that the host had when the copy was requested.
  bool right() const;

 private:
  std::vector<std::uint8_t> expected_;
  std::uintptr_t memory_ = 0;
};

/// A stream of the device that makes no progress while it is held.
class DeviceStream {
 public:
  DeviceStream();
  /// Releases a held stream and waits for its work.
  ~DeviceStream();
  DeviceStream(const DeviceStream&) = delete;
  DeviceStream& operator=(const DeviceStream&) = delete;

  void hold();
  void go();
  void wait();
  CUstream_st* get() const noexcept { return stream_; }

 private:
  CUstream_st* stream_ = nullptr;
  bool held_ = false;
  std::binary_semaphore gate_{0};
};

}  // namespace weir::test
