#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>
#include <vector>

#include "cli/settings.hpp"
#include "weir/batch.hpp"

namespace weir::cli {

/// Simulates a trainer. It converts each batch to the type of --dtype in separate memory, and spends
/// the time of --consumer-ms or --consumer-trace on it. One thread.
class Consumer {
 public:
  Consumer(const Settings& settings, std::stop_token stop);

  /// Returns early when the token requests a stop.
  void take(const Batch& batch);

 private:
  std::function<void(const Batch&)> convert_;  ///< empty: no conversion, pixels stay uint8
  const std::vector<double> milliseconds_;     ///< one value for each batch; repeats
  std::size_t taken_ = 0;
  std::stop_token stop_;
};

}  // namespace weir::cli
