#pragma once

#include <hwy/targets.h>

#include <cstdint>
#include <vector>

namespace weir::test {

/// Restricts the kernels to one vector set of the machine. The destructor allows all of them again.
class OnlyTarget {
 public:
  explicit OnlyTarget(std::int64_t target) { choose(target); }
  ~OnlyTarget() { choose(0); }
  OnlyTarget(const OnlyTarget&) = delete;
  OnlyTarget& operator=(const OnlyTarget&) = delete;

 private:
  static void choose(std::int64_t targets) {
    hwy::SetSupportedTargetsForTest(targets);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

/// Each vector set that this machine has.
inline std::vector<std::int64_t> vector_sets() {
  std::vector<std::int64_t> each;
  for (auto left = hwy::SupportedTargets(); left != 0; left &= left - 1)
    each.push_back(left & -left);
  return each;
}

}  // namespace weir::test
