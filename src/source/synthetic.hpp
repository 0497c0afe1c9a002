#pragma once

#include <cstdint>
#include <stop_token>

#include "weir/source.hpp"

namespace weir::source {

/// As weir::synthetic. A request of `stop` ends the reads of large images, which take seconds, with
/// a SampleError.
AnySource synthetic(std::uint64_t count, ImageSize encoded_shape, std::uint64_t seed,
                    std::stop_token stop);

}  // namespace weir::source
