#pragma once

#include "base/wakeable.hpp"

namespace weir::test {

/// Counts wake-ups. One thread.
struct Waker final : Wakeable {
  void wake() noexcept override { ++count; }
  int count = 0;
};

}  // namespace weir::test
