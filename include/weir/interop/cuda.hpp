#pragma once

#include <stdexcept>
#include <string>

#include "weir/batch.hpp"
#include "weir/export.hpp"

struct CUstream_st;  // what cudaStream_t and CUstream point to

/// \file
/// Leases that end when a CUDA device has read the batch. CMake component `cuda`. Built without CUDA: the
/// driver is loaded when it is first needed (libcuda.so.1). See PinnedMemory for memory that is copied from
/// without a wait.
namespace weir {

/// A call of CUDA's driver failed.
class WEIR_API DeviceError : public std::runtime_error {
 public:
  /// `what` names the call and CUDA's reason.
  DeviceError(const std::string& what, int code) : std::runtime_error(what), code_(code) {}
  /// CUresult; 0: there is no driver.
  int code() const noexcept { return code_; }

 private:
  int code_;
};

/// Returns the batch's slab once the device has done all that `stream` holds now: an event is recorded, nothing
/// waits, and no callback is made. Call it after the copies that read the batch:
///
///     cudaMemcpyAsync(images, batch.pixel_bytes().data(), bytes, cudaMemcpyHostToDevice, stream);
///     weir::release_after(std::move(batch), stream);
///
/// Until then the batch stays `leased` and is one of max_leases, so set `queue.max_leases` to the copies in
/// flight, and one more for the batch in hand. While only such leases are out, next() waits for one. For stops,
/// destructors and failed events see Batch::release_when: a failed event ends the stream in a DeviceError.
///
/// Where no event can be had, it waits for the stream instead. Throws DeviceError where that fails, too, and
/// Error{bad_options} while the stream is captured into a graph; the batch is the caller's then.
///
/// `stream` null: the legacy default stream of the thread's current context. Any thread.
WEIR_API void release_after(Batch&& batch, CUstream_st* stream);

}  // namespace weir
