#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "weir/export.hpp"
#include "weir/window.hpp"

namespace weir {

/// Returns the knobs of the plan. Pure.
WEIR_API Setting setting_of(const Plan& plan);

/// The predicted result of one setting.
struct Prediction {
  /// The setting as the Plan resolves it: queue cut to the budget, read-ahead to the samples drawn.
  Setting setting;
  double samples_per_s = 0;   ///< delivered samples per second
  double consumer_wait = 0;   ///< share of the time in which the consumer waits
  double data_readiness = 1;  ///< share of steps that find a batch ready
  std::uint32_t slabs = 0;    ///< number of slabs that the stream would allocate
  /// Upper bound from the Plan: max_queue_size + max_leases slabs.
  std::uint64_t staging_bytes = 0;
  /// Bytes of `slabs`; less than the bound if the queue never fills.
  std::uint64_t peak_staging_bytes = 0;
  /// Typical live bytes: staging, index, 1 MiB per worker (encoded bytes and pixels of a
  /// photograph, as in the Plan) and 2 * window.encoded_bytes per read ahead. At most
  /// Plan::ceiling_bytes.
  std::uint64_t total_bytes = 0;
  /// The predicted limit: judge() applied to the simulated times.
  Verdict verdict{};
};

/// Predicts one setting: runs the stream's scheduler in simulated time for about 1000 batches after
/// a warm-up. Reads, decodes and the consumer take random times from log-normal distributions with
/// the window's means and deviations. At most `window.cores` decodes run at once. For another batch
/// size, the consumer's time scales in proportion. Takes milliseconds of CPU time: large batches are
/// simulated in groups of rows. Pure: equal arguments give equal results. Throws Error{bad_options}
/// if the window has no samples or the setting is invalid, Error{budget_too_small} as weir::resolve
/// does, and Error{stopped} if `stop` is requested.
WEIR_API Prediction predict(const Window& window, const Setting& setting, std::uint64_t seed = 0,
                            std::stop_token stop = {});

/// Bounds and targets for advise().
struct AdviceOptions {
  double target_readiness = 0.99;  ///< required share of steps that find a batch ready, 0 to 1
  std::uint64_t budget_bytes = UINT64_MAX;  ///< maximum live bytes
  std::uint32_t most_queue = 64;            ///< maximum of max_queue_size, in batches
  /// Maximum number of threads; 0: the number of cores in the window.
  std::uint32_t most_workers = 0;
  std::uint32_t most_read_ahead = 256;  ///< maximum number of reads ahead
  std::optional<Service> consumer{};    ///< replaces the window's consumer times
  /// Size of the cache to predict, even if the window's loader had no cache. 0: the requested size
  /// in Plan::cache, or else the bytes that the budget leaves.
  std::uint64_t cache_bytes = 0;
  std::stop_token stop{};  ///< ends advise() within a millisecond, with Error{stopped}
};

/// One changed knob and its predicted effect.
struct Step {
  std::string change;  ///< for example "max_queue_size 3 to 4"
  Prediction to;       ///< the result after the change
};

/// The predicted effect of a cache after the epoch that fills it. That first epoch is as fast as
/// without a cache.
struct CacheAdvice {
  Cache keep = Cache::encoded;    ///< kind of data in the cache
  std::uint64_t whole_bytes = 0;  ///< size of a cache that holds every sample
  Prediction whole;  ///< result of the recommended setting with every sample in the cache
  /// Size of a smaller cache: AdviceOptions::cache_bytes, or else the requested size of the
  /// window's cache. It is limited to whole_bytes and to what the budget leaves. 0: such a cache
  /// would hold no sample.
  std::uint64_t bytes = 0;
  double share = 0;  ///< share of samples in this cache, which is also its hit rate
  Prediction to;     ///< result of the recommended setting with this cache
};

/// The recommended setting, with reasons and alternatives.
struct Advice {
  Prediction now;  ///< result of the window's own setting
  /// The smallest setting that reaches the target readiness and comes within 1 % of `ceiling`.
  Prediction recommended;
  Prediction ceiling;       ///< the best result of any setting within the bounds
  std::vector<Step> steps;  ///< changes from the recommended setting, in both directions
  /// One entry for encoded, and one for decoded if each row depends on its sample alone. Empty if
  /// the number of samples in the source is unknown.
  std::vector<CacheAdvice> cache;
  std::vector<std::string> sentences;  ///< the advice as text: settings, reasons, first change
  std::string flags;                   ///< command-line options of the weir program
  std::string code;                    ///< C++ code that sets the options
};

/// Predicts some dozens of settings with the window's batch size and recommends one. Pure. Throws
/// Error{bad_options} as predict() does or if an option is out of range, and
/// Error{budget_too_small} if no setting fits the budget, or Error{stopped}.
WEIR_API Advice advise(const Window& window, const AdviceOptions& options = {});

}  // namespace weir
