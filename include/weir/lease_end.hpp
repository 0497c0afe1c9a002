#pragma once

namespace weir {

/// Says when something that still reads a batch, such as a device, has read it. Made by adapters; see
/// Batch::release_when and interop/cuda.hpp.
class LeaseEnd {
 public:
  virtual ~LeaseEnd() = default;
  /// Whether the batch has been read. Called until it says so, by the stream's deciding thread, by next() or
  /// by the Loader's destructor, one at a time; must return at once and must call nothing of the loader's.
  /// If it throws, the slab returns and the stream ends: next() delivers what is ready, then throws this.
  virtual bool reached() = 0;
};

}  // namespace weir
