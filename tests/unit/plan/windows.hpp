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

/// The window of a loader that ran long enough, undisturbed.
inline Window window_of(const Times& times, std::uint32_t cores = 2, Options options = {},
                        std::uint64_t index_bytes = 0) {
  if (options.workers == 0) options.workers = cores;
  Window window;
  window.plan = resolve(options, index_bytes);
  window.cores = cores;
  window.batches = 200;
  window.samples = window.batches * window.plan.batch;
  const auto service = [](std::uint64_t count, double ms, double variation) {
    return Service{count, ms * 1e-3, ms * 1e-3 * variation};
  };
  window.read = service(window.samples, times.read, times.variation);
  window.decode = service(window.samples, times.decode, times.variation);
  window.consumer = service(window.batches, times.consumer, times.consumer_variation);
  window.encoded_bytes = 110e3;
  // Long enough for the slower side.
  const double decoding = static_cast<double>(window.samples) * (times.read + times.decode) /
                          std::min(window.plan.workers, cores);
  const double consuming = static_cast<double>(window.batches) * times.consumer;
  window.seconds = std::max(decoding, consuming) * 1e-3;
  return window;
}

}  // namespace weir::test
