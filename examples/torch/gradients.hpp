#pragma once

#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace trainer {

/// The largest difference of a tensor of `in_parts` from its counterpart in `whole`, relative to
/// the latter's norm. Infinite if a comparison is meaningless: different numbers of tensors, no
/// tensor, a norm of 0, values that are not finite.
inline double largest_difference(const std::vector<torch::Tensor>& whole,
                                 const std::vector<torch::Tensor>& in_parts) {
  constexpr auto nothing = std::numeric_limits<double>::infinity();
  if (whole.empty() || whole.size() != in_parts.size()) return nothing;
  double worst = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const auto norm = whole[i].norm().item<double>();
    const auto error = (in_parts[i] - whole[i]).norm().item<double>() / norm;
    // std::max alone would ignore a NaN.
    if (!(norm > 0) || !std::isfinite(error)) return nothing;
    worst = std::max(worst, error);
  }
  return worst;
}

}  // namespace trainer
