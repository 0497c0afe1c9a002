#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "weir/export.hpp"
#include "weir/plan.hpp"
#include "weir/report.hpp"

namespace weir {

/// How long one kind of work took, each time.
struct Service {
  std::uint64_t count = 0;  ///< how often
  double mean_s = 0;        ///< all zero where it never came
  double deviation_s = 0;   ///< standard deviation
};

/// Mean and deviation of what the sums add up. Pure.
WEIR_API Service service(const Timing& timing) noexcept;

/// Evidence: what a loader did between two of its reports.
struct Window : QueueWaits {
  Plan plan;                  ///< the loader's
  std::uint32_t cores = 1;    ///< of the machine
  std::uint64_t batches = 0;  ///< handed over
  std::uint64_t samples = 0;  ///< in them
  Service read;               ///< one sample
  double read_cpu_s = 0;      ///< of that mean, on a core and not waiting; 0: nobody looked
  /// One sample: header, pixels and fit. Its deviation is the sum of theirs: both grow with the image.
  Service decode;
  double decode_cpu_s = 0;    ///< of that mean, on a core; 0: nobody looked
  Service consumer;           ///< one batch: handed over until the next was asked for
  double encoded_bytes = 0;   ///< of one sample, mean
  double data_readiness = 1;  ///< share of next() that found a batch waiting
  /// Of the samples drawn, the share that Plan::cache had: they are not in `read`, nor, where their rows
  /// were kept, in `decode`.
  double hit_share = 0;
  std::uint64_t source_samples = 0;  ///< in the source; 0: not known
};

/// From the loader's construction until `now`. Pure.
WEIR_API Window window(const Report& now);
/// Between two reports of one loader, in this order. Pure.
WEIR_API Window window(const Report& earlier, const Report& now);

/// What bounds a run.
enum class Regime : std::uint8_t {
  balanced,  ///< nothing much: no wait above a tenth of the time
  storage,   ///< reading
  decode,    ///< decoding, resampling and transforms
  consumer,  ///< what the batches are for
  memory,    ///< the budget, which holds workers up
};
/// The enumerator's own name: "decode". Any thread.
WEIR_API std::string_view to_string(Regime regime) noexcept;

/// A regime and the numbers that decide it, as shares of the time.
struct Verdict {
  Regime regime = Regime::balanced;  ///< what bounds the run
  double consumer_wait = 0;          ///< the sum of the three stalls
  double producer_wait = 0;  ///< workers with nothing to do: every place in the queue was taken
  double storage_wait = 0;   ///< the consumer waited for reading
  double decode_wait = 0;    ///< for decoding
  double memory_wait = 0;    ///< for the budget
  std::string why;           ///< in a sentence, with the numbers
};

/// Pure. No wait above a tenth of the time: balanced. Otherwise the longer wait decides: of the
/// producers, consumer; of the consumer, by its largest stall storage, decode or memory. Where they
/// are equal: the consumer's wait, since it is what a run loses; decode before storage before memory.
WEIR_API Verdict judge(const QueueWaits& waits);

}  // namespace weir
