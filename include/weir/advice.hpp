#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "weir/export.hpp"
#include "weir/window.hpp"

namespace weir {

/// The plan's bounds as a setting. Pure.
WEIR_API Setting setting_of(const Plan& plan);

/// What a setting would do.
struct Prediction {
  Setting setting;  ///< as the Plan has it: a queue cut to the budget, reads to what is drawn
  double samples_per_s = 0;              ///< handed over
  double consumer_wait = 0;              ///< share of the time
  double data_readiness = 1;             ///< share of steps that find a batch waiting
  std::uint32_t slabs = 0;               ///< that would come to exist
  std::uint64_t staging_bytes = 0;       ///< bound, of the Plan: max_queue_size + max_leases slabs
  std::uint64_t peak_staging_bytes = 0;  ///< of `slabs`: a queue that never fills has fewer
  /// What is typically live: staging, index, 1 MiB a worker (a photograph's bytes and pixels, as the
  /// Plan assumes), and twice window.encoded_bytes a read ahead; at most the Plan's ceiling_bytes.
  std::uint64_t total_bytes = 0;
  /// What would bound it: judge() of the clocks that a loader would have had in the simulated time.
  Verdict verdict{};
};

/// Runs the conductor of a stream in simulated time: reads, decodes and the consumer take times
/// drawn from the window's (log-normal of the same mean and deviation), at most `window.cores` decode
/// at once; once warm, about a thousand batches. Milliseconds of CPU time. A batch of another size
/// takes the consumer proportionally as long. Pure: the same arguments, the same result. Throws
/// Error{bad_options} where the window has no samples or the setting is not one, and
/// Error{budget_too_small} as weir::resolve does.
WEIR_API Prediction predict(const Window& window, const Setting& setting, std::uint64_t seed = 0);

/// What advise() may recommend.
struct AdviceOptions {
  double target_readiness = 0.99;           ///< share of steps that are to find a batch, 0 to 1
  std::uint64_t budget_bytes = UINT64_MAX;  ///< the most that may be live
  std::uint32_t most_queue = 64;            ///< batches
  std::uint32_t most_workers = 0;       ///< threads; 0: as many as the window's machine has cores
  std::uint32_t most_read_ahead = 256;  ///< reads
  std::optional<Service> consumer{};    ///< in place of the window's
  /// What a cache of so many bytes would bring is to be said, whatever the window's loader had; 0: of as
  /// many as Plan::cache was asked to hold, or else as the budget leaves.
  std::uint64_t cache_bytes = 0;
};

/// One knob moved by a step, and what it would change.
struct Step {
  std::string change;  ///< "max_queue_size 3 to 4"
  Prediction to;       ///< what it would be then
};

/// What a cache would bring, once an epoch has filled it; the first is as without.
struct CacheAdvice {
  Cache keep = Cache::encoded;    ///< what would be kept
  std::uint64_t whole_bytes = 0;  ///< would hold every sample
  Prediction whole;               ///< the recommended setting with every sample held
  /// A size to judge: AdviceOptions::cache_bytes, else what the window's own cache was asked to hold, but
  /// no more than the budget leaves and than whole_bytes. 0: a cache of that size would hold nothing.
  std::uint64_t bytes = 0;
  double share = 0;  ///< of the samples that it would hold, and so of the draws that would hit
  Prediction to;     ///< the recommended setting with those held
};

/// What to set, and why.
struct Advice {
  Prediction now;  ///< the window's own setting
  /// The smallest that reaches `ceiling` within 1 % at the wanted readiness.
  Prediction recommended;
  Prediction ceiling;       ///< what any setting could reach
  std::vector<Step> steps;  ///< from the recommended one, up and down
  /// encoded and, where rows are functions of their samples, decoded; empty where the window does not
  /// know how many samples the source has.
  std::vector<CacheAdvice> cache;
  std::vector<std::string>
      sentences;      ///< sentences for people: what to do, why, what to change first
  std::string flags;  ///< to paste: options of the program
  std::string code;   ///< to paste: C++
};

/// Simulates settings of the window's batch, some dozens of them. Pure. Throws Error{bad_options}
/// where predict() does or a wish is out of range, Error{budget_too_small} where nothing fits.
WEIR_API Advice advise(const Window& window, const AdviceOptions& options = {});

}  // namespace weir
