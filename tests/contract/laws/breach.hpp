#pragma once

#include <string>
#include <string_view>

#include "observe/moment.hpp"
#include "weir/plan.hpp"

namespace weir::test {

/// The name of the first law that is broken, or nothing.
inline std::string breach_of(const Snapshot& now, const Plan& plan) {
  if (now.memory.peak > plan.budget_bytes.value_or(UINT64_MAX)) return "bound";
  std::string broken;
  observe::check_moment(now, plan, [&](std::string_view law, bool holds, auto&&...) {
    if (!holds && broken.empty()) broken = law;
  });
  return broken;
}

/// The same, and the bytes that the consumer holds.
inline std::string lease_breach_of(const Snapshot& now, const Plan& plan) {
  if (now.memory[Account::leased] > plan.max_leases * plan.slab_bytes) return "leased bytes";
  return breach_of(now, plan);
}

}  // namespace weir::test
