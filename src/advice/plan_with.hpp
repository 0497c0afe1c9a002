#pragma once

#include <cstdint>

#include "weir/interval.hpp"

namespace weir::advice {

/// The plan of the interval's loader with another setting and budget. Throws as weir::resolve does,
/// and Error{bad_options} if a knob is 0 that must not be 0.
Plan plan_with(const Interval& interval, const Setting& setting, std::uint64_t budget_bytes);

/// Typical live bytes of a running stream: staging, index, a typical arena per worker, and two
/// encoded samples per read ahead (the new bytes and the old buffer). At most the plan's ceiling.
std::uint64_t typical_bytes(const Plan& plan, double encoded_bytes);

}  // namespace weir::advice
