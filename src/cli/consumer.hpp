#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>
#include <vector>

#include "cli/settings.hpp"
#include "weir/batch.hpp"

namespace weir::cli {

/// Stands in for a trainer: converts each batch into memory of its own where --dtype asks for it,
/// and takes as long over it as --consumer-ms or --consumer-trace says. One thread.
class Consumer {
 public:
  Consumer(const Settings& settings, std::stop_token stop);

  /// Returns early when the token asks for a stop.
  void take(const Batch& batch);

 private:
  std::function<void(const Batch&)> convert_;  ///< empty: the pixels stay uint8
  const std::vector<double> milliseconds_;     ///< by batch, over and over
  std::size_t taken_ = 0;
  std::stop_token stop_;
};

}  // namespace weir::cli
