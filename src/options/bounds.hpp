#pragma once

#include <cstdint>

// Bounds of Options. resolve() refuses other values, and the program names the bounds in its messages.
namespace weir::options {

inline constexpr std::uint32_t most_side = 65'500, most_batch = 1u << 20, most_queue = 1u << 20,
                               most_leases = 1u << 16, most_scale = 256, most_workers = 1024,
                               most_read_ahead = 4096;
inline constexpr std::uint64_t most_annotation_bytes = UINT32_MAX, most_scratch_bytes = 1ull << 40,
                               most_sample_bytes = 1ull << 50, most_trace_events = 1ull << 32;

}  // namespace weir::options
