#pragma once

#include <stdexcept>
#include <string>

#include "weir/batch.hpp"
#include "weir/export.hpp"

struct CUstream_st;  // the pointee of cudaStream_t and CUstream

/// \file
/// Leases that end when a CUDA device has read the batch. CMake component `cuda`. It is built
/// without CUDA; the first use loads the driver (libcuda.so.1). For asynchronous copies use
/// PinnedMemory.
namespace weir {

/// A call of the CUDA driver failed.
class WEIR_API DeviceError : public std::runtime_error {
 public:
  /// `what` states the call and CUDA's reason.
  DeviceError(const std::string& what, int code) : std::runtime_error(what), code_(code) {}
  /// The CUresult. 0: there is no driver.
  int code() const noexcept { return code_; }

 private:
  int code_;
};

/// Returns the slab when the device has finished the current work of `stream`. It records an event;
/// no thread waits, and there is no callback. Call it after the copies that read the batch:
///
///     cudaMemcpyAsync(images, batch.pixel_bytes().data(), bytes, cudaMemcpyHostToDevice, stream);
///     auto receipt = weir::release_after(std::move(batch), stream);
///
/// Until then the batch stays `leased` and counts against max_leases. Set `queue.max_leases` to the
/// number of copies in flight plus one. If all leases are pending in this way, next() waits for
/// one. Batch::release_when describes the end of streams and loaders. A failed event ends the
/// stream with a DeviceError.
///
/// If no event can be created, it waits for the stream instead. Throws DeviceError if that also
/// fails, and Error{bad_options} while the stream is captured into a graph. After an exception the
/// caller still owns the batch.
///
/// A trainer that saves its progress keeps the returned receipt until it has trained with the batch.
///
/// A null `stream` is the legacy default stream of the thread's current context. Any thread.
WEIR_API Receipt release_after(Batch&& batch, CUstream_st* stream);

}  // namespace weir
