#pragma once

namespace weir {

/// Reports when a reader of a batch, such as a device, has finished. Adapters implement it; see
/// Batch::release_when and interop/cuda.hpp.
class LeaseEnd {
 public:
  virtual ~LeaseEnd() = default;
  /// Whether the reader has finished. The stream's scheduling thread, next() or the Loader's
  /// destructor call it, one at a time, until it returns true. It must return at once and must not
  /// call the loader. If it throws, the slab returns and the stream ends: next() delivers the ready
  /// batches and then throws this exception.
  virtual bool reached() = 0;
};

}  // namespace weir
