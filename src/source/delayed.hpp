#pragma once

#include <chrono>
#include <cstdint>
#include <stop_token>

#include "weir/source.hpp"

namespace weir::source {

/// The extra time of each read on slow storage: constant or log-normal. A pure function of seed and
/// sample index. It does not depend on the thread, the time or the number of reads.
class ReadDelay {
 public:
  using Milliseconds = std::chrono::duration<double, std::milli>;

  /// Mean and standard deviation in milliseconds. A deviation of 0 means a constant delay. Any
  /// other deviation needs a mean above 0.
  ReadDelay(double mean, double deviation, std::uint64_t seed) noexcept;
  /// The delay of one read of sample `index`, at most one day.
  Milliseconds of(std::uint64_t index) const noexcept;

 private:
  double mean_, mu_ = 0, sigma_ = 0;  ///< mu, sigma: parameters of the delay's logarithm
  std::uint64_t seed_;
};

/// Reads `source` as if from slow storage. Each read takes `delay` longer, and its bytes are
/// charged during the delay, as in a real read. A read whose bytes are refused has no delay. After
/// a request of `stop`, no read has one.
AnySource delayed(AnySource source, const ReadDelay& delay, std::stop_token stop = {});

}  // namespace weir::source
