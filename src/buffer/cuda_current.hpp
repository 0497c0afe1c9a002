#pragma once

#include "buffer/cuda_driver.hpp"

namespace weir::cuda {

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
