#pragma once

#include <cstdint>

#include "weir/advice.hpp"

namespace weir {

/// Encoded and scratch bytes of a photograph of about half a megapixel: what a worker is assumed
/// to keep when the queue is fitted into the budget.
inline constexpr std::uint64_t typical_arena_bytes = 1ull << 20;
/// Its pixels, which a transform of whole images works on.
inline constexpr std::uint64_t typical_image_bytes = 3ull << 19;

/// What a worker of this plan is assumed to keep.
std::uint64_t typical_arena(const Plan& plan);

/// The plan of the window's loader, had it been given `setting` and `budget_bytes`. Throws as
/// weir::resolve does, and Error{bad_options} where a knob is 0 that cannot be.
Plan plan_with(const Window& window, const Setting& setting, std::uint64_t budget_bytes);

/// What is live while a stream is at work: staging, index, a typical arena a worker and, for each
/// read ahead, the bytes that arrive and those of the buffer it had before; at most what the plan
/// allows.
std::uint64_t typical_bytes(const Plan& plan, double encoded_bytes);

}  // namespace weir
