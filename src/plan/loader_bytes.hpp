#pragma once

#include <cstdint>

#include "weir/advice.hpp"

namespace weir {

/// Encoded and scratch bytes of a photograph of about half a megapixel. The plan assumes this much
/// per worker when it fits the queue into the budget.
inline constexpr std::uint64_t typical_arena_bytes = 1ull << 20;
/// Pixel bytes of that photograph, for transforms of whole images.
inline constexpr std::uint64_t typical_image_bytes = 3ull << 19;

/// Assumed bytes per worker for this plan.
std::uint64_t typical_arena(const Plan& plan);

/// The plan of the window's loader with another setting and budget. Throws as weir::resolve does,
/// and Error{bad_options} if a knob is 0 that must not be 0.
Plan plan_with(const Window& window, const Setting& setting, std::uint64_t budget_bytes);

/// Typical live bytes of a running stream: staging, index, a typical arena per worker, and two
/// encoded samples per read ahead (the new bytes and the old buffer). At most the plan's ceiling.
std::uint64_t typical_bytes(const Plan& plan, double encoded_bytes);

}  // namespace weir
