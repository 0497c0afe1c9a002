#pragma once

#include <cstdint>

#include "source/sampler.hpp"

namespace weir::source {

/// The sample that replaces the one that the order itself puts at `position`.
inline std::uint64_t replacement(const Sampler& sampler, std::uint64_t epoch, Position position,
                                 std::uint32_t attempt) {
  return sampler.replacement_of(sampler.index(epoch, position), epoch, position, attempt);
}

}  // namespace weir::source
