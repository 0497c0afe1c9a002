#pragma once

#include <chrono>
#include <cstdint>
#include <stop_token>

#include "weir/source.hpp"

namespace weir::source {

/// How much longer each read of slow storage takes: always as long, or log-normal. The delay of a
/// sample is a pure function of seed and index: the same whatever thread reads it, when and how often.
class ReadDelay {
 public:
  using Milliseconds = std::chrono::duration<double, std::milli>;

  /// Mean and standard deviation, both in milliseconds; deviation 0: constant. A deviation needs a
  /// mean above 0.
  ReadDelay(double mean, double deviation, std::uint64_t seed) noexcept;
  /// Of one read of sample `index`; at most a day.
  Milliseconds of(std::uint64_t index) const noexcept;

 private:
  double mean_, mu_ = 0, sigma_ = 0;  ///< mu, sigma: of the delay's logarithm
  std::uint64_t seed_;
};

/// `source`, read as if from slow storage: each read takes `delay` more, spent once its bytes are on
/// the books, as those of a real read are. A read that is refused its bytes costs nothing; once `stop`
/// is asked for, none does.
AnySource delayed(AnySource source, const ReadDelay& delay, std::stop_token stop = {});

}  // namespace weir::source
