#include "device.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>
#include <utility>

namespace weir::test {
namespace {

void check(int result, const char* call) {
  if (result != 0) throw std::runtime_error(std::string(call) + " gave " + std::to_string(result));
}

bool real_driver_is_wanted() {
  const char* const wanted = std::getenv("WEIR_CUDA");
  return wanted && std::string(wanted) == "real";
}

template <class Function>
void find(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
}

}  // namespace

Device::Device() : real(real_driver_is_wanted()) {
  void* const library = dlopen(real ? "libcuda.so.1" : WEIR_STAND_IN, RTLD_NOW);
  if (!library) throw std::runtime_error(dlerror());
  int (*init)(unsigned);
  int (*retain)(CUctx_st**, int);
  find(library, "cuInit", init);
  find(library, "cuDevicePrimaryCtxRetain", retain);
  find(library, "cuCtxSetCurrent", CtxSetCurrent);
  find(library, "cuStreamCreate", StreamCreate);
  find(library, "cuStreamDestroy_v2", StreamDestroy);
  find(library, "cuStreamSynchronize", StreamSynchronize);
  find(library, "cuStreamBeginCapture_v2", StreamBeginCapture);
  find(library, "cuStreamEndCapture", StreamEndCapture);
  find(library, "cuLaunchHostFunc", LaunchHostFunc);
  find(library, "cuMemAlloc_v2", MemAlloc);
  find(library, "cuMemFree_v2", MemFree);
  find(library, "cuMemcpyHtoDAsync_v2", MemcpyHtoDAsync);
  find(library, "cuMemcpyDtoH_v2", MemcpyDtoH);
  find(library, "stand_in_reset", reset);
  find(library, "stand_in_fail", fail);
  find(library, "stand_in_slow_copies", slow_copies);
  find(library, "stand_in_lock_limit", lock_limit);
  find(library, "stand_in_calls", calls);
  find(library, "stand_in_locked", locked);
  find(library, "stand_in_events", events);
  find(library, "stand_in_retained", retained);
  find(library, "stand_in_copies", copies);
  find(library, "stand_in_locked_copies", locked_copies);
  check(init(0), "cuInit");
  check(retain(&context, 0), "cuDevicePrimaryCtxRetain");
}

Device& device() {
  static Device one;
  return one;
}

Device& fresh_device() {
  auto& cuda = device();
  if (cuda.reset) cuda.reset();
  check(cuda.CtxSetCurrent(cuda.context), "cuCtxSetCurrent");
  return cuda;
}

bool only_with_stand_in() {
  if (!device().real) return true;
  std::cout << "weir: test skipped: a real driver does not fail when told to\n";
  return false;
}

DeviceCopy::DeviceCopy(std::span<const std::uint8_t> host, CUstream_st* stream)
    : expected_(host.begin(), host.end()) {
  auto& cuda = device();
  check(cuda.MemAlloc(&memory_, host.size()), "cuMemAlloc");
  check(cuda.MemcpyHtoDAsync(memory_, host.data(), host.size(), stream), "cuMemcpyHtoDAsync");
}

DeviceCopy::DeviceCopy(DeviceCopy&& other) noexcept
    : expected_(std::move(other.expected_)), memory_(std::exchange(other.memory_, 0)) {}

DeviceCopy::~DeviceCopy() {
  if (memory_ != 0) device().MemFree(memory_);
}

bool DeviceCopy::right() const {
  std::vector<std::uint8_t> got(expected_.size());
  check(device().MemcpyDtoH(got.data(), memory_, got.size()), "cuMemcpyDtoH");
  return got == expected_;
}

DeviceStream::DeviceStream() {
  constexpr unsigned apart_from_default = 1;  // CU_STREAM_NON_BLOCKING
  check(device().StreamCreate(&stream_, apart_from_default), "cuStreamCreate");
}

DeviceStream::~DeviceStream() {
  go();
  device().StreamSynchronize(stream_);
  device().StreamDestroy(stream_);
}

void DeviceStream::hold() {
  const auto stay = [](void* gate) { static_cast<std::binary_semaphore*>(gate)->acquire(); };
  check(device().LaunchHostFunc(stream_, stay, &gate_), "cuLaunchHostFunc");
  held_ = true;
}

void DeviceStream::go() {
  if (std::exchange(held_, false)) gate_.release();
}

void DeviceStream::wait() { check(device().StreamSynchronize(stream_), "cuStreamSynchronize"); }

}  // namespace weir::test
