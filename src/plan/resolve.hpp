#pragma once

#include <cstdint>

#include "weir/plan.hpp"

namespace weir::plan {

/// What a plan depends on besides the options.
struct Surroundings {
  std::uint64_t index_bytes = 0;
  std::uint64_t others_promised = 0;  ///< of a shared budget
  std::uint64_t samples = 0;          ///< 0: unknown
  /// The most that a sample of the data needs. The default of max_sample_bytes is not larger. 0:
  /// unknown.
  std::uint64_t sample_bytes = 0;
};

/// weir::resolve().
Plan resolve(const Options& options, const Surroundings& given);

}  // namespace weir::plan
