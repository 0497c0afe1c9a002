#include "buffer/cuda_driver.hpp"

#include <dlfcn.h>

#include <stdexcept>

namespace weir::cuda {
namespace {

template <class Function>
void find(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  if (!function)
    throw std::runtime_error(std::string("CUDA's driver has no ") + name + ": it is too old");
}

}  // namespace

Driver::Driver(const char* name) {
  void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library) throw std::runtime_error(std::string("no CUDA driver: ") + dlerror());
  // Since CUDA 11.1 its header maps these names to these versions.
  find(library, "cuInit", Init);
  find(library, "cuGetErrorName", GetErrorName);
  find(library, "cuGetErrorString", GetErrorString);
  find(library, "cuDeviceGet", DeviceGet);
  find(library, "cuDevicePrimaryCtxRetain", DevicePrimaryCtxRetain);
  find(library, "cuDevicePrimaryCtxRelease_v2", DevicePrimaryCtxRelease);
  find(library, "cuCtxGetCurrent", CtxGetCurrent);
  find(library, "cuCtxPushCurrent_v2", CtxPushCurrent);
  find(library, "cuCtxPopCurrent_v2", CtxPopCurrent);
  find(library, "cuMemHostRegister_v2", MemHostRegister);
  find(library, "cuMemHostUnregister", MemHostUnregister);
  find(library, "cuStreamGetCtx", StreamGetCtx);
  find(library, "cuStreamIsCapturing", StreamIsCapturing);
  find(library, "cuStreamSynchronize", StreamSynchronize);
  find(library, "cuEventCreate", EventCreate);
  find(library, "cuEventRecord", EventRecord);
  find(library, "cuEventQuery", EventQuery);
  find(library, "cuEventDestroy_v2", EventDestroy);
}

std::string Driver::failure(const char* call, Result error) const {
  const char *name = nullptr, *text = nullptr;
  if (GetErrorName(error, &name) != success) name = "an unknown error";
  if (GetErrorString(error, &text) != success) text = "no description";
  return std::string(call) + ": " + name + " (" + std::to_string(error) + "): " + text;
}

const Driver& driver() {
  static const Driver machine("libcuda.so.1");
  return machine;
}

}  // namespace weir::cuda
