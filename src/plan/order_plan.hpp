#pragma once

#include <cstdint>

#include "conductor/schedule.hpp"
#include "weir/options.hpp"

namespace weir::plan {

/// Throws Error{bad_options} if the order is incomplete, or impossible for so many samples; 0: their
/// number is unknown.
void check_order(const Order& order, std::uint64_t samples);

/// What decides the batches of an epoch with so many positions.
conductor::Batching batching_of(const Options& options, const Ranks& ranks,
                                std::uint64_t positions) noexcept;

}  // namespace weir::plan
