#pragma once

#include <atomic>
#include <cstdint>

namespace weir::cli {

/// What the consumer counts for itself. Written by the consumer alone; the two bounds let another
/// thread say what `consumed` can be at any instant: bounds are moved before and after the release
/// they are about.
struct Recount {
  std::atomic<std::uint64_t> surely_consumed{0}, perhaps_consumed{0};  ///< samples
  std::atomic<bool> waiting{false};                                    ///< in next()
};

}  // namespace weir::cli
