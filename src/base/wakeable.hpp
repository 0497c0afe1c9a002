#pragma once

namespace weir {

/// An object that reads the books again after wake(). Thread-safe. wake() may be called at any
/// time, and more often than needed. It does not block on the caller's locks and does not allocate.
class Wakeable {
 public:
  virtual ~Wakeable() = default;
  virtual void wake() noexcept = 0;
};

}  // namespace weir
