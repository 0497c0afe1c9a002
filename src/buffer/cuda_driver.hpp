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
struct Driver {
  /// Throws std::runtime_error with the reason if the library cannot be loaded or lacks a function.
  explicit Driver(const char* library);

  Result (*Init)(unsigned flags);
  Result (*GetErrorName)(Result error, const char** name);
  Result (*GetErrorString)(Result error, const char** text);
  Result (*DeviceGet)(int* device, int ordinal);
  Result (*DevicePrimaryCtxRetain)(CUctx_st** context, int device);
  Result (*DevicePrimaryCtxRelease)(int device);
  Result (*CtxGetCurrent)(CUctx_st** context);
  Result (*CtxPushCurrent)(CUctx_st* context);
  Result (*CtxPopCurrent)(CUctx_st** context);
  Result (*MemHostRegister)(void* data, std::size_t bytes, unsigned flags);
  Result (*MemHostUnregister)(void* data);
  Result (*StreamGetCtx)(CUstream_st* stream, CUctx_st** context);
  Result (*StreamIsCapturing)(CUstream_st* stream, int* status);
  Result (*StreamSynchronize)(CUstream_st* stream);
  Result (*EventCreate)(CUevent_st** event, unsigned flags);
  Result (*EventRecord)(CUevent_st* event, CUstream_st* stream);
  Result (*EventQuery)(CUevent_st* event);
  Result (*EventDestroy)(CUevent_st* event);

  /// For example "cuEventQuery: CUDA_ERROR_UNKNOWN (999): unknown error".
  std::string failure(const char* call, Result error) const;
};

/// The driver of this machine. It is loaded once and never unloaded. Throws as the constructor
/// does; a later call tries again.
const Driver& driver();

/// Makes a context current on this thread until the object is destroyed.
class Current {
 public:
  Current(const Driver& driver, CUctx_st* context) noexcept
      : driver_(driver), result_(driver.CtxPushCurrent(context)) {}
  ~Current() {
    CUctx_st* popped = nullptr;
    if (result_ == success) driver_.CtxPopCurrent(&popped);
  }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;
  Result result() const noexcept { return result_; }

 private:
  const Driver& driver_;
  const Result result_;
};

}  // namespace weir::cuda
