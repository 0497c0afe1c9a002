#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "weir/order.hpp"

namespace weir::test {

/// Weights with zeros, for `samples` samples.
inline std::vector<double> some_weights(std::uint64_t samples) {
  std::vector<double> weights(samples);
  for (std::uint64_t i = 0; i < samples; ++i) weights[i] = static_cast<double>(i * i % 5);
  return weights;
}

/// An order of each kind that does not draw each sample once an epoch.
inline std::vector<Order> all_orders(std::uint64_t samples) {
  return {Order::with_replacement(samples + 13),
          Order::weighted(some_weights(samples), samples + 8), Order::every(3, 1),
          Order::own(
              "even, and one at random", samples + 4,
              [half = samples / 2](std::uint64_t epoch, std::uint64_t position, Random& random) {
                return position % 5 == 0 ? 2 * random.below(half) : (epoch + position) % half * 2;
              })};
}

/// What all_orders(samples) draws, counted by another rule than weir's.
inline std::uint64_t positions_in(const Order& order, std::uint64_t samples) {
  return order.kind == Order::Kind::every ? (samples + 1) / 3 : order.draws;
}
inline std::set<std::uint64_t> reached_by(const Order& order, std::uint64_t samples) {
  std::set<std::uint64_t> reached;
  const auto weights = some_weights(samples);
  for (std::uint64_t i = 0; i < samples; ++i) {
    if (order.kind == Order::Kind::weighted && weights[i] == 0) continue;
    if (order.kind == Order::Kind::every && i % 3 != 1) continue;
    if (order.kind == Order::Kind::own && i % 2 != 0) continue;
    reached.insert(i);
  }
  return reached;
}

}  // namespace weir::test
