#pragma once

#include "buffer/slab.hpp"

namespace weir::buffer {

/// Notified of the ends of leases, before the slab is used again.
class LeaseWatch {
 public:
  virtual ~LeaseWatch() = default;
  /// The lease ends. Called on the thread that ends it.
  virtual void released(const Slab& slab) noexcept = 0;
  /// The consumer has released the batch, and its LeaseEnd will end the lease. Called on the
  /// consumer's thread.
  virtual void handed_over(Slab&) noexcept {}
};

}  // namespace weir::buffer
