#include "source/weights.hpp"

#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "source/fingerprint.hpp"

namespace weir::source {
namespace {

/// -0.0 becomes 0.0, which has another hash.
std::vector<double> checked(std::vector<double> weights) {
  if (weights.empty())
    refuse(Stage::wait, "Order::weighted: weights is empty; it needs one weight for each sample");
  bool any = false;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    auto& weight = weights[i];
    if (!std::isfinite(weight) || weight < 0)
      refuse(Stage::wait, "Order::weighted: weights[", i, "] = ", weight,
             ": must be finite and 0 or more");
    weight += 0.0;
    any = any || weight > 0;
  }
  if (!any)
    refuse(Stage::wait, "Order::weighted: all ", weights.size(),
           " weights are 0; at least one must be above 0");
  return weights;
}

}  // namespace

Weights::Weights(std::vector<double> weights)
    : values_(checked(std::move(weights))),
      hash_(fingerprint_of_text(
          {reinterpret_cast<const char*>(values_.data()), values_.size() * sizeof(double)})) {}

const AliasTable& Weights::table() const {
  std::call_once(made_, [this] { table_ = std::make_unique<const AliasTable>(values_); });
  return *table_;
}

}  // namespace weir::source
