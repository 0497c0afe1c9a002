#pragma once

#include <cmath>
#include <cstdint>

#include "weir/advice.hpp"
#include "weir/plan.hpp"

namespace weir::test {

/// Times in milliseconds: of a read, of a decode, and of the consumer for a batch.
struct Times {
  double read = 0, decode = 0, consumer = 0;
  double variation = 0;           ///< of reads and decodes: deviation / mean
  double consumer_variation = 0;  ///< the same for the consumer
};

inline bool within(double value, double wanted, double share) {
  return std::abs(value - wanted) <= share * std::abs(wanted);
}

inline Options of_batch(std::uint32_t batch) {
  Options options;
  options.batch = batch;
  return options;
}

/// The interval of a loader that ran long enough, undisturbed.
inline Interval interval_of(const Times& times, std::uint32_t cores = 2, Options options = {},
                            std::uint64_t index_bytes = 0) {
  if (options.workers == 0) options.workers = cores;
  Interval interval;
  interval.plan = resolve(options, index_bytes);
  interval.cores = cores;
  interval.batches = 200;
  interval.samples = interval.batches * interval.plan.batch;
  const auto service = [](std::uint64_t count, double ms, double variation) {
    return Service{count, ms * 1e-3, ms * 1e-3 * variation};
  };
  interval.read = service(interval.samples, times.read, times.variation);
  interval.decode = service(interval.samples, times.decode, times.variation);
  interval.consumer = service(interval.batches, times.consumer, times.consumer_variation);
  interval.encoded_bytes = 110e3;
  // Long enough for the slower side.
  const double decoding = static_cast<double>(interval.samples) * (times.read + times.decode) /
                          std::min(interval.plan.workers, cores);
  const double consuming = static_cast<double>(interval.batches) * times.consumer;
  interval.seconds = std::max(decoding, consuming) * 1e-3;
  return interval;
}

}  // namespace weir::test
