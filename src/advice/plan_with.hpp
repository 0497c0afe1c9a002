#pragma once

#include <cstdint>

#include "plan/resolve.hpp"

namespace weir::advice {

/// What `plan` was resolved from, with another setting and budget. Throws Error{bad_options} if
/// resolve() did not make the plan, if sizes differ, or if a knob is 0 that must not be 0.
plan::Origin origin_with(const Plan& plan, const Setting& setting,
                         std::optional<std::uint64_t> budget_bytes);

/// The plan of the same loader with another setting and budget. Throws as origin_with() and
/// weir::resolve() do.
Plan plan_with(const Plan& plan, const Setting& setting, std::optional<std::uint64_t> budget_bytes);

/// Typical live bytes of a running stream: staging, index, a typical arena per worker, and two
/// encoded samples per read ahead (the new bytes and the old buffer). At most the plan's ceiling.
std::uint64_t typical_bytes(const Plan& plan, double encoded_bytes);

}  // namespace weir::advice
