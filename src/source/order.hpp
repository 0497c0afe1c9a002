#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "weir/order.hpp"

namespace weir::source {

/// Reads what to_string() writes; the numbers of blocks may be left out. Empty if it is no order.
std::optional<Order> parse_order(std::string_view text);

/// The positions of an epoch of `samples` samples.
std::uint64_t positions_of(const Order& order, std::uint64_t samples) noexcept;

}  // namespace weir::source
