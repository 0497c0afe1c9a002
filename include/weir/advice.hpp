#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "weir/window.hpp"

namespace weir {

/// The plan's bounds.
Setting setting_of(const Plan& plan);

/// What a setting would do.
struct Prediction {
  Setting setting;
  double samples_per_s = 0;
  double consumer_wait = 0;  ///< share of the time
  double data_readiness = 1;
  std::uint32_t slabs = 0;          ///< that would come to exist
  std::uint64_t staging_bytes = 0;  ///< max_queue_size + max_leases slabs
  /// Staging, index, what the workers and reads ahead typically hold.
  std::uint64_t total_bytes = 0;
};

/// Runs the conductor of a stream in simulated time: reads, decodes and the consumer take times
/// drawn from the window's (log-normal of the same mean and deviation), at most `window.cores` decode
/// at once. Pure: the same arguments, the same result. Throws Error{bad_options} where the window
/// has no samples or the setting is not one.
Prediction predict(const Window& window, const Setting& setting, std::uint64_t seed = 0);

struct AdviceOptions {
  double target_readiness = 0.99;
  std::uint64_t budget_bytes = UINT64_MAX;
  std::uint32_t most_queue = 64, most_workers = 0, most_read_ahead = 256;  ///< workers 0: cores
  std::optional<Service> consumer;  ///< in place of the window's
};

/// One knob moved by a step, and what it would change.
struct Step {
  std::string change;  ///< "max_queue_size 3 to 4"
  Prediction to;
};

struct Advice {
  Prediction now;  ///< the window's own setting
  Prediction
      recommended;     ///< the smallest that reaches `ceiling` within 1 % at the wanted readiness
  Prediction ceiling;  ///< what any setting could reach
  std::vector<Step> steps;         ///< from the recommended one, up and down
  std::vector<std::string> words;  ///< sentences for people: what to do, why, what to change first
  std::string flags;               ///< to paste: options of the program
  std::string code;                ///< to paste: C++
};

/// Pure.
Advice advise(const Window& window, const AdviceOptions& options = {});

}  // namespace weir
