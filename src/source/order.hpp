#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "weir/order.hpp"

namespace weir::source {

/// Reads sequential, shuffle, blocks[:B[:K]], with_replacement[:DRAWS] and every:N[:OFFSET]. Empty
/// if it is none of them.
std::optional<Order> parse_order(std::string_view text);

/// The positions of an epoch of `samples` samples. An empty source has none.
std::uint64_t positions_of(const Order& order, std::uint64_t samples) noexcept;

/// Whether each sample comes once an epoch.
bool draws_all(Order::Kind kind) noexcept;
/// Whether a sample may come several times in an epoch.
bool repeats(Order::Kind kind) noexcept;
/// Whether each epoch has the same samples at the same positions.
bool is_fixed(Order::Kind kind) noexcept;

}  // namespace weir::source
