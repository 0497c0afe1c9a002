#pragma once

#include <optional>
#include <string_view>

#include "weir/order.hpp"

namespace weir::source {

/// Reads what to_string() writes; the numbers of blocks may be left out. Empty if it is no order.
std::optional<Order> parse_order(std::string_view text);

}  // namespace weir::source
