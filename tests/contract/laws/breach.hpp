#pragma once

#include <string>

#include "observe/moment.hpp"
#include "weir/plan.hpp"

namespace weir::test {

/// The name of the law that is broken, or nothing.
inline std::string breach_of(const Snapshot& now, const Plan& plan) {
  if (now.memory.peak > plan.budget_bytes.value_or(UINT64_MAX)) return "bound";
  return std::string(observe::breach_of(now, plan));
}

}  // namespace weir::test
