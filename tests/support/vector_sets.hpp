#pragma once

#include <hwy/targets.h>

#include <cstdint>
#include <vector>

#include "base/machine/vector_sets.hpp"

namespace weir::test {

/// Restricts the kernels to one vector set of the machine. The destructor allows all of them again.
class OnlyTarget {
 public:
  explicit OnlyTarget(std::int64_t target) { allow_vector_sets(target); }
  ~OnlyTarget() { allow_vector_sets(-1); }
  OnlyTarget(const OnlyTarget&) = delete;
  OnlyTarget& operator=(const OnlyTarget&) = delete;
};

/// Each vector set that this machine has, and the one that every machine has.
inline std::vector<std::int64_t> vector_sets() {
  std::vector<std::int64_t> each{HWY_STATIC_TARGET};
  for (auto left = machine_vector_sets(); left != 0; left &= left - 1) each.push_back(left & -left);
  return each;
}

}  // namespace weir::test
