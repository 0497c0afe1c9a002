#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>

#include "weir/options.hpp"
#include "weir/sizes.hpp"
#include "weir/source.hpp"

namespace weir::api {

/// What the headers of all samples say.
struct Survey {
  std::shared_ptr<const SizeIndex> sizes;
  std::uint64_t sample_bytes = 0;  ///< the most that one of them needs; 0: unknown
};

/// Reads each sample once, as measure_sizes(), and throws as it does. `all`: also samples whose size
/// the source knows; otherwise the sample_bytes of such a source are unknown.
/// After a request of `stop` nothing more is read, and the result is incomplete.
Survey survey(const AnySource& source, const Options& options, bool all,
              const std::stop_token& stop = {});

}  // namespace weir::api
