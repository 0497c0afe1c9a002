#pragma once

namespace weir {

/// The smallest value in low … high for which `test` is true. It must be true from some value on, and
/// of `high`, for which it is not called.
template <class T, class Test>
T smallest_that(T low, T high, const Test& test) {
  while (low < high) {
    const T middle = low + (high - low) / 2;
    if (test(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return high;
}

/// The largest value in low … high for which `test` is true. It must be true up to some value, and of
/// `low`, for which it is not called.
template <class T, class Test>
T largest_that(T low, T high, const Test& test) {
  return smallest_that(low, high, [&](T value) { return !test(value + 1); });
}

}  // namespace weir
