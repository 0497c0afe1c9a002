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

/// CUDA's driver, as a test calls it: the stand-in or, with WEIR_CUDA=real in the environment, the machine's. Weir
/// finds the same: a library that is loaded is found by its name.
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

  // Null of a real driver.
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

/// The one of this process. Throws where there is none.
Device& device();
/// As if just loaded; its context is the calling thread's.
Device& fresh_device();

/// Whether a case can be made to happen here; if not, it says so, by which CTest knows that it was skipped.
bool only_with_stand_in();

/// A copy to the device, and what came of it.
class DeviceCopy {
 public:
  DeviceCopy(std::span<const std::uint8_t> host, CUstream_st* stream);
  DeviceCopy(DeviceCopy&& other) noexcept;
  ~DeviceCopy();
  /// Whether the device has what the host had when the copy was asked for.
  bool right() const;

 private:
  std::vector<std::uint8_t> expected_;
  std::uintptr_t memory_ = 0;
};

/// A stream of the device that does nothing while it is held.
class DeviceStream {
 public:
  DeviceStream();
  /// Lets go what is held and waits for all.
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
