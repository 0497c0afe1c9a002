#pragma once

#include <cstddef>
#include <string>

struct CUstream_st;
struct CUctx_st;
struct CUevent_st;

/// The functions of CUDA's driver API that weir calls. They are declared here, so weir builds
/// without CUDA.
namespace weir::cuda {

using Result = int;  ///< CUresult
inline constexpr Result success = 0, not_ready = 600;

/// The driver's functions, named without "cu". CUDA's manual of the driver API describes them.
class Driver {
  void* library_;
  struct Symbol {
    void* address;
    template <class Function>
    operator Function() const {  // NOLINT(google-explicit-constructor)
      return reinterpret_cast<Function>(address);
    }
  };
  Symbol find(const char* name) const;

 public:
  /// Throws std::runtime_error with the reason if the library cannot be loaded or lacks a function.
  explicit Driver(const char* library);

  // Since CUDA 11.1 its header maps these names to these versions.

  Result (*Init)(unsigned flags) = find("cuInit");
  Result (*GetErrorName)(Result error, const char** name) = find("cuGetErrorName");
  Result (*GetErrorString)(Result error, const char** text) = find("cuGetErrorString");
  Result (*DeviceGet)(int* device, int ordinal) = find("cuDeviceGet");
  Result (*DevicePrimaryCtxRetain)(CUctx_st** context,
                                   int device) = find("cuDevicePrimaryCtxRetain");
  Result (*DevicePrimaryCtxRelease)(int device) = find("cuDevicePrimaryCtxRelease_v2");
  Result (*CtxGetCurrent)(CUctx_st** context) = find("cuCtxGetCurrent");
  Result (*CtxPushCurrent)(CUctx_st* context) = find("cuCtxPushCurrent_v2");
  Result (*CtxPopCurrent)(CUctx_st** context) = find("cuCtxPopCurrent_v2");
  Result (*MemHostRegister)(void* data, std::size_t bytes,
                            unsigned flags) = find("cuMemHostRegister_v2");
  Result (*MemHostUnregister)(void* data) = find("cuMemHostUnregister");
  Result (*StreamGetCtx)(CUstream_st* stream, CUctx_st** context) = find("cuStreamGetCtx");
  Result (*StreamIsCapturing)(CUstream_st* stream, int* status) = find("cuStreamIsCapturing");
  Result (*StreamSynchronize)(CUstream_st* stream) = find("cuStreamSynchronize");
  Result (*EventCreate)(CUevent_st** event, unsigned flags) = find("cuEventCreate");
  Result (*EventRecord)(CUevent_st* event, CUstream_st* stream) = find("cuEventRecord");
  Result (*EventQuery)(CUevent_st* event) = find("cuEventQuery");
  Result (*EventDestroy)(CUevent_st* event) = find("cuEventDestroy_v2");

  /// For example "cuEventQuery: CUDA_ERROR_UNKNOWN (999): unknown error".
  std::string failure(const char* call, Result error) const;
};

/// The driver of this machine. It is loaded once and never unloaded. Throws as the constructor
/// does; a later call tries again.
const Driver& driver();

}  // namespace weir::cuda
