#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weir/export.hpp"
#include "weir/plan.hpp"
#include "weir/report.hpp"

namespace weir {

/// Statistics of the duration of one kind of work.
struct Service {
  std::uint64_t count = 0;  ///< number of times
  double mean_s = 0;        ///< mean; 0 if count is 0
  double deviation_s = 0;   ///< standard deviation
  /// Histogram as in StageStats::times. Empty: predict() assumes a log-normal distribution.
  std::vector<std::uint64_t> times{};
  /// The last times in their order, in seconds. If it is not empty, predict() repeats them, so that
  /// bursts stay bursts.
  std::vector<double> sequence{};
};

/// Mean and standard deviation from sums. Pure.
WEIR_API Service service(const Timing& timing) noexcept;

/// Measurements of a loader between two of its reports.
struct Interval : QueueWaits {
  Plan plan;                           ///< plan of the loader
  std::uint32_t cores = 1;             ///< CPUs that the process may use
  std::uint64_t batches = 0;           ///< delivered batches
  std::uint64_t samples = 0;           ///< delivered samples
  Service read;                        ///< time to read one sample
  std::optional<double> read_cpu_s{};  ///< CPU part of that mean, if it was measured
  /// Time of one sample: header, pixels and fit. The deviation is the sum of the deviations,
  /// because the times of all parts grow with the image.
  Service decode;
  std::optional<double> decode_cpu_s{};  ///< CPU part of that mean, if it was measured
  Service consumer;           ///< time per batch: from its delivery to the next call of next()
  double lease_s = 0;         ///< mean time per batch from its delivery to its release
  Service copy;               ///< time of a device per batch: Stage::copy
  double encoded_bytes = 0;   ///< mean encoded size of a sample
  double data_readiness = 1;  ///< share of next() calls that found a batch ready
  /// Share of draws that the cache served. Those samples do not count in `read`. If the cache keeps
  /// rows, they do not count in `decode` either.
  double hit_share = 0;
  std::optional<std::uint64_t> source_samples{};  ///< number of samples in the source, if known
};

/// From the construction of the loader to `now`. Pure.
WEIR_API Interval interval(const Report& now);
/// Between two reports of the same loader, the earlier one first. Pure.
WEIR_API Interval interval(const Report& earlier, const Report& now);

/// The limit of a run.
enum class Regime : std::uint8_t {
  balanced,  ///< no wait exceeds a tenth of the time
  storage,   ///< reading
  decode,    ///< decoding, resampling and transforms
  consumer,  ///< the consumer's own work
  memory,    ///< workers wait for the budget
  cpu,       ///< workers that get too little CPU time
  copy,      ///< a device that reads the batches: copies, or earlier work of their stream
};
/// The name of the enumerator, for example "decode". Any thread.
WEIR_API std::string_view to_string(Regime regime) noexcept;

/// A regime and its evidence, as shares of the time.
struct Verdict {
  Regime regime = Regime::balanced;  ///< the limit of the run
  double consumer_wait = 0;          ///< sum of the four stalls
  double producer_wait = 0;          ///< share of idle workers, for lack of a free queue slot
  double storage_wait = 0;           ///< the consumer's wait for reading
  double decode_wait = 0;            ///< the consumer's wait for decoding
  double memory_wait = 0;            ///< the consumer's wait for the budget
  double device_wait = 0;            ///< the consumer's wait for a lease that a device holds
  std::optional<double> cpus_had{};  ///< mean number of CPUs that the workers used, if measured
  /// Mean number of CPUs that the workers used or waited for, at most those that there are, if
  /// measured.
  std::optional<double> cpus_wanted{};
  std::string cpu_cause{};  ///< for Regime::cpu: who had the other CPUs, in words
  std::string why;          ///< a sentence with the numbers
};

/// Determines the regime. If no wait exceeds a tenth of the time: balanced. If the consumer waited for
/// a device longer than a tenth, and longer than for the loader: copy. If the producers waited longer
/// than the consumer waited for the loader: consumer. Otherwise the largest stall of the consumer
/// decides: storage, decode or memory. If both waits are equal, the consumer's wait decides, because it is lost time. Equal
/// stalls have the order decode, storage, memory. decode and storage become cpu if the workers spent
/// more than a third of their working time, waits for reads included, without a CPU that they could
/// have had. Pure.
WEIR_API Verdict judge(const QueueWaits& waits);

}  // namespace weir
