#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>
#include <weir/convert.hpp>

namespace focal {

/// log σ(x) = min(x, 0) − log(1 + e^−|x|). This form neither overflows nor cancels, for any x.
inline double log_sigmoid(double x) {
  return std::min(x, 0.0) - std::log1p(std::exp(-std::fabs(x)));
}

/// FL(p_t) = −α_t (1 − p_t)^γ log p_t of one sample, from the logit of "positive" (Lin et al., "Focal Loss
/// for Dense Object Detection", 2017, equation 5; α_t is `alpha` for positives, 1 − alpha for negatives).
/// With γ = 0 it is the cross entropy.
inline double focal_loss(double logit, bool positive, double gamma, double alpha) {
  const double z = positive ? logit : -logit;  // p_t = σ(z), so 1 − p_t = σ(−z)
  const double weight = (positive ? alpha : 1 - alpha) * std::exp(gamma * log_sigmoid(-z));
  return weight * -log_sigmoid(z);
}

/// The share of the samples with the smallest losses in the total loss, as in figure 4 of that paper.
struct Curve {
  double total = 0;  ///< sum of all losses, from the smallest to the largest
  std::vector<double>
      share{};  ///< of the total, at shares of the samples that are evenly spaced from 0 to 1
};

/// Sorts `losses`. The result depends only on the set of losses, not on their order. So it is the
/// same to the last bit for every order of streaming.
template <weir::Element T>
Curve accumulate(std::span<T> losses, std::size_t points) {
  std::sort(losses.begin(), losses.end(), [](T a, T b) { return weir::widen(a) < weir::widen(b); });
  Curve curve;
  std::vector<double> sums(points);
  std::size_t at = 0;
  for (std::size_t point = 0; point < points; ++point) {
    for (const auto end = losses.size() * point / (points - 1); at < end; ++at)
      curve.total += static_cast<double>(weir::widen(losses[at]));
    sums[point] = curve.total;
  }
  for (const auto sum : sums) curve.share.push_back(curve.total > 0 ? sum / curve.total : 0);
  return curve;
}

}  // namespace focal
