#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "weir/export.hpp"
#include "weir/options.hpp"
#include "weir/plan.hpp"
#include "weir/report.hpp"
#include "weir/source.hpp"

/// \file
/// Measurements between two reports, what limits a run, predictions and advice.
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
  double encoded_bytes = 0;   ///< mean encoded bytes of a row: of all its samples
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
  double decode_wait = 0;            ///< the consumer's wait for decoding; see QueueWaits::encoded
  double memory_wait = 0;            ///< the consumer's wait for the budget
  double device_wait = 0;            ///< the consumer's wait for a lease that a device holds
  std::optional<double> cpus_had{};  ///< mean number of CPUs that the workers used, if measured
  /// Mean number of CPUs that the workers used or waited for, at most those that there are, if
  /// measured.
  std::optional<double> cpus_wanted{};
  std::string cpu_cause{};  ///< for Regime::cpu: who had the other CPUs, in words
  bool encoded = false;     ///< QueueWaits::encoded
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
  /// photograph, as in the Plan; at most max_sample_bytes) and 2 * interval.encoded_bytes per read
  /// ahead. At most Plan::ceiling_bytes. The interval's own cache does not count. The results of a CacheAdvice and of
  /// a Lever that changes the cache count the new one.
  std::uint64_t total_bytes = 0;
  /// The predicted limit: judge() applied to the simulated times.
  Verdict verdict{};
};

/// Predicts one setting: runs the stream's scheduler in simulated time for about 1000 batches after
/// a warm-up. Reads take the interval's times in random order, the consumer its times in their order.
/// Times without a distribution are random from a log-normal one with the interval's mean and
/// deviation. At most `interval.cores` decodes run at once, unless they mostly wait. For another batch
/// size, the consumer's time scales in proportion. Takes milliseconds of CPU time: large batches are
/// simulated in groups of rows. Pure: equal arguments give equal results. Throws Error{bad_options}
/// if the interval has no samples or the setting is invalid, Error{budget_too_small} as weir::resolve
/// does, and Error{stopped} if `stop` is requested.
WEIR_API Prediction predict(const Interval& interval, const Setting& setting,
                            std::uint64_t seed = 0, std::stop_token stop = {});

/// The decode time with one option changed, as a multiple of the time without the change, on the same
/// images. Empty: not measured.
struct DecodeTimes {
  std::optional<double> fast{};      ///< with Decode::fast
  std::optional<double> bilinear{};  ///< with Filter::bilinear
  std::optional<double> tiles{};     ///< of files that `weir pack --tiles 16` wrote
  /// CPU time to write a sample with tiles, in seconds. With it and `tiles`, an encoded cache of files
  /// with tiles is a lever, if it pays within AdviceOptions::epochs.
  std::optional<double> tile_s{};
};

/// Decodes up to 24 samples from all parts of the source with each of these changes in turns, on one
/// worker, for about half a second. `options` are those of the Loader. A change that they have already
/// stays empty. All are empty with Decode::none, or if no sample can be read and decoded. The memory is on no ledger: the
/// encoded samples, up to 32 MiB and one more, and a loader for each change. Calls no transform. `stop`
/// ends it early. Any thread. Throws as the constructor of Loader does.
WEIR_API DecodeTimes measure_decodes(const AnySource& source, const Options& options,
                                     const std::stop_token& stop = {});

/// Bounds and targets for advise().
struct AdviceOptions {
  /// Required share of steps that find a batch ready; above 0, at most 1.
  double target_readiness = 0.99;
  /// Maximum live bytes, beside the budget of the interval's plan; nullopt: no other limit.
  std::optional<std::uint64_t> budget_bytes{};
  std::uint32_t least_queue = 1;  ///< minimum of max_queue_size, in batches
  std::uint32_t most_queue = 64;  ///< maximum of max_queue_size
  /// Maximum number of threads; nullopt: the number of cores in the interval.
  std::optional<std::uint32_t> most_workers{};
  std::uint32_t most_read_ahead = 256;  ///< maximum number of reads ahead
  /// Size of the cache to predict, even if the interval's loader had no cache. nullopt: the requested
  /// size in Plan::cache, or else the bytes that the budget leaves.
  std::optional<std::uint64_t> cache_bytes{};
  std::stop_token stop{};     ///< ends advise() within a millisecond, with Error{stopped}
  DecodeTimes decodes{};      ///< of measure_decodes()
  std::uint64_t epochs = 90;  ///< that the training still has, this one included
  /// Whether the interval was measured with another setting or consumer than those in it. The
  /// verdict is then predicted.
  bool predict_verdict = false;
};

/// How a figure is known.
enum class Basis : std::uint8_t {
  measured,   ///< by the interval
  predicted,  ///< by a simulation with the times of the interval
  unknown     ///< the time that it depends on was not measured
};
/// The name of the enumerator, for example "predicted". Any thread.
WEIR_API std::string_view to_string(Basis basis) noexcept;

/// What a Lever changes.
enum class Change : std::uint8_t {
  max_queue_size,  ///< QueueOptions::max_queue_size
  workers,         ///< Options::workers
  read_ahead,      ///< IoOptions::read_ahead
  settings,        ///< several of these together: the recommended setting
  cache,           ///< Options::cache
  decode,          ///< Options::decode
  filter,          ///< Options::filter
  budget,          ///< MemoryOptions::budget_bytes
  data,            ///< what is stored: images that decode in half the time
  storage,         ///< where it is stored: reads that take half the time
  trainer,         ///< the consumer: half its time for a batch
  cpu,             ///< who else uses the CPUs: all those that the workers could have had
  max_leases,      ///< QueueOptions::max_leases
  pinned,          ///< MemoryOptions::upstream: a PinnedMemory
  copy,            ///< the device: half its time to read a batch
  tiles            ///< what is stored: JPEGs with tiles, which crops enter in the middle
};
/// The name of the enumerator, for example "read_ahead". Any thread.
WEIR_API std::string_view to_string(Change change) noexcept;

/// One change of the settings now, and its effect.
struct Lever {
  Change change = Change::settings;  ///< the kind of change
  std::string from;                  ///< the value now, for example "0"
  std::string to;                    ///< the value after the change, for example "27"
  std::string title;                 ///< the change in words, for example "read_ahead 0 → 27"
  Basis basis = Basis::predicted;    ///< how gain, bytes and result are known
  /// samples_per_s after the change over those now. Empty if the basis is unknown.
  std::optional<double> gain{};
  std::int64_t bytes = 0;  ///< change of the typical live bytes
  Prediction result;       ///< after the change; unset if the basis is unknown
  std::string why;         ///< reason, or the condition of the effect
  /// The change has paid for itself at the end of this epoch. Of a cache: 2 or more.
  std::uint64_t pays_from = 1;
  /// Options of the weir program, for example "--read-ahead 27". Empty: no option changes it.
  std::string flag;
  std::string code;      ///< the same as lines of C++; `options` is an Options
  std::string sentence;  ///< title, gain, bytes, basis and reason in words
};

/// The predicted effect of a cache on the interval's setting, after the epoch that fills it. That
/// first epoch is as fast as without a cache.
struct CacheAdvice {
  Cache keep = Cache::encoded;  ///< kind of data in the cache
  /// Size of a cache that holds every sample; if decoded, every one that decodes.
  std::uint64_t whole_bytes = 0;
  Prediction whole;  ///< result with a cache of this size
  /// Size of a smaller cache: AdviceOptions::cache_bytes, or else the requested size of the
  /// interval's cache. It is limited to whole_bytes and to what the budget leaves. 0: such a cache
  /// would hold no sample.
  std::uint64_t bytes = 0;
  double share = 0;  ///< share of samples in this cache, which is also its hit rate
  Prediction to;     ///< result with this cache
  /// Of an encoded cache: the result if it also writes its files with 16 tiles. Empty if
  /// AdviceOptions has no times of that, or if the interval's cache does so already.
  std::optional<Prediction> tiled{};
};

/// What limits a run, and what to change.
struct Advice {
  Verdict verdict;                 ///< the limit of the interval's own setting
  Basis basis = Basis::predicted;  ///< how the verdict is known
  std::string sentence;            ///< the verdict in one sentence: describe(verdict)
  Prediction now;                  ///< result of the interval's own setting
  /// Changes of the interval's own setting, each on its own. The one with the largest gain is first.
  /// Of gains that are equal to two decimals, the one with the fewest bytes. Those of unknown effect
  /// are last. A change that gains less than 2 % is listed only if the next batch is ready more
  /// often, by 2 % of the requests, or if it saves memory.
  std::vector<Lever> levers;
  /// The smallest setting that reaches the target readiness and comes within 1 % of `ceiling`.
  Prediction recommended;
  Prediction ceiling;  ///< the best result of any setting within the bounds
  /// One entry for encoded, and one for decoded if each row depends on its sample alone. Empty if
  /// the number of samples in the source is unknown.
  std::vector<CacheAdvice> cache;
  std::string flags;  ///< the recommended setting as options of the weir program
  std::string code;   ///< the same as C++
};

/// The verdict in one sentence with percentages, for example "Storage-bound: the consumer waits
/// 87 % of its time, 98 % of that for reads." Pure.
WEIR_API std::string describe(const Verdict& verdict);

/// Predicts some dozens of settings with the interval's batch size and recommends one. Pure. Throws
/// Error{bad_options} as predict() does or if an option is out of range, and
/// Error{budget_too_small} if no setting fits the budget, or Error{stopped}.
WEIR_API Advice advise(const Interval& interval, const AdviceOptions& options = {});

/// Predictions for `around` with smaller and larger queues that fit in the interval's budget, ordered by
/// depth: powers of two, and the depths beside its own. Pure. Throws as predict() does.
WEIR_API std::vector<Prediction> predict_depths(const Interval& interval, const Setting& around);

/// A whole run as the basis of predictions. Empty if it took less than a second or eight batches, if its
/// settings changed, or if it had images of different sizes or a cache, which predictions do not support.
/// Pure.
WEIR_API std::optional<Interval> evidence(const Report& report);

}  // namespace weir
