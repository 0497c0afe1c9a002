#pragma once

namespace weir::test {

/// True if `holds()` is true in one of `attempts` calls. For what a busy machine disturbs in some
/// calls, and a defect in all.
template <class F>
bool in_one_of(int attempts, F holds) {
  for (int i = 0; i < attempts; ++i)
    if (holds()) return true;
  return false;
}

}  // namespace weir::test
