#pragma once

#include <cstdint>
#include <stop_token>

#include "advice/draws.hpp"
#include "weir/advice.hpp"

namespace weir::advice {

/// The times to simulate, for batches of one size.
struct Workload {
  double read_wait_s = 0;   ///< mean per sample: waiting for storage
  double read_cpu_s = 0;    ///< mean per sample, on a core
  double decode_s = 0;      ///< mean per sample, on a core
  double decodes = 1;       ///< share of rows that have a decode; blank rows do not
  double own_s = 0;         ///< mean per row, on a core, as own_s()
  double reader_own_s = 0;  ///< the same in a reader
  double consumer_s = 0;    ///< mean per batch
  double lease_s = 0;       ///< mean per batch, from its delivery to its release
  double device_s = 0;  ///< mean per batch: a device reads it after its release; 0: there is none
  Draws read, decode, consumer, device;
  std::uint32_t cores = 1, batch = 1;
  double rows = 1;  ///< mean rows per batch; the last one of an epoch may be smaller
  std::uint64_t encoded_bytes = 0;  ///< per row
  std::uint64_t scratch_bytes = 0;  ///< per decode
  std::uint64_t batches = 1;        ///< number of batches to measure: one round of the draws
  double hit_share = 0;             ///< share of samples that were cached in an earlier epoch
  Cache kept = Cache::nothing;      ///< form of the cached samples
  double copy_s = 0;                ///< time to copy one cached row
  /// A batch of more rows is simulated in groups of rows, so that its cost does not grow with the
  /// batch. The number of groups is at least this, and at least eight for each thread.
  std::uint32_t least_groups = 256;
  /// The workers' use of CPUs for each second of their decodes, if they lack them. Otherwise empty.
  CpuUse cpu{};
  double slowdown = 1;     ///< wall time of work over its CPU time, if the workers lack CPUs
  std::stop_token stop{};  ///< ends a simulation with Error{stopped}

  /// Whether sample n is cached. Hits are evenly spread, as in a shuffled order.
  bool hits(std::uint64_t n) const noexcept;
  /// Mean read time of all samples, including cached ones.
  double read_s() const noexcept { return (read_wait_s + read_cpu_s) * (1 - hit_share); }
  double compute_s() const noexcept;
  /// Whether workers read what they decode.
  bool workers_read(std::uint32_t read_ahead) const noexcept;

  /// Samples per second that reading and decoding allow with any queue. Infinite if neither takes
  /// time. These are the bounds of a tandem of multi-server stations: servers of a station divided
  /// by its mean service time (Lazowska et al., Quantitative System Performance, 1984, chapter 5).
  double reads_per_s(std::uint32_t workers, std::uint32_t read_ahead) const noexcept;
  double decodes_per_s(std::uint32_t workers, std::uint32_t read_ahead) const noexcept;
  double production_per_s(std::uint32_t workers, std::uint32_t read_ahead) const noexcept;
  double consumption_per_s() const noexcept;
};

/// The workload with `share` of the samples in the cache.
Workload with_cache(Workload work, const Plan& plan, Cache kept, double share) noexcept;

/// A worker's time per row outside its decode: taking it, posting it, waking others. It is the loader's
/// own work. WorkerTime counts it in decode_s.
double own_s(const Interval& interval) noexcept;

/// The share of reads whose rows were decoded. 1 if a cache hides it, or if the others may be under way.
double decoded_share(const Interval& interval) noexcept;

/// Converts an interval to a workload with batches of `batch` rows. Throws Error{bad_options} if
/// the interval is empty.
Workload workload_of(const Interval& interval, std::uint32_t batch, std::uint64_t seed,
                     std::stop_token stop = {});

/// The prediction for a plan. The workload is shared by all settings with the same batch size.
Prediction predict(const Plan& plan, const Workload& work, double encoded_bytes);

}  // namespace weir::advice
