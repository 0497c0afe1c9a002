#include "source/alias_table.hpp"

#include <algorithm>
#include <cmath>

namespace weir::source {

AliasTable::AliasTable(std::span<const double> weights) : columns_(weights.size()) {
  __extension__ using Wide = unsigned __int128;
  const auto count = weights.size();
  int exponent = 0;
  std::frexp(*std::ranges::max_element(weights), &exponent);
  const auto whole = [&](std::size_t i) {
    return static_cast<std::uint64_t>(std::ldexp(weights[i], 62 - exponent));
  };
  Wide sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += whole(i);
  // A column has room for `sum`; all columns together are full.
  const auto load = [&](std::size_t i) { return Wide{count} * whole(i); };
  const auto set = [&](std::size_t i, Wide own, std::size_t other) {
    const auto share = static_cast<double>(own) / static_cast<double>(sum);
    columns_[i] = {share < 1 ? static_cast<std::uint64_t>(std::ldexp(share, 64)) : UINT64_MAX,
                   share < 1 ? other : i};
  };
  for (std::size_t i = 0; i < count; ++i) columns_[i] = {UINT64_MAX, i};

  const auto next = [&](std::size_t i, bool heavy) {
    while (i < count && (load(i) > sum) != heavy) ++i;
    return i;
  };
  auto light = next(0, false), heavy = next(0, true);
  // What the heavy one has left.
  for (auto left = heavy < count ? load(heavy) : Wide{0}; heavy < count;) {
    if (left > sum) {
      set(light, load(light), heavy);
      left -= sum - load(light);
      light = next(light + 1, false);
    } else {
      const auto after = next(heavy + 1, true);
      if (after == count) break;  // it fills its own column exactly
      set(heavy, left, after);
      left = load(after) - (sum - left);
      heavy = after;
    }
  }
}

}  // namespace weir::source
