#pragma once

#include <cstdint>

#include "weir/order.hpp"

namespace weir {

/// Throws Error{bad_options} if the order is incomplete, or impossible for so many samples; 0: their
/// number is unknown.
void check_order(const Order& order, std::uint64_t samples);

}  // namespace weir
