#include "advice/workload.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "advice/cpu_share.hpp"
#include "base/checked.hpp"
#include "base/random.hpp"
#include "conductor/read_pace.hpp"
#include "options/refuse.hpp"
#include "plan/loader_bytes.hpp"
#include "plan/resolve.hpp"

namespace weir::advice {
namespace {

// Number of draws: enough for 1 % accuracy, few enough for a few milliseconds.
constexpr std::uint64_t usual_samples = 32'768, fewest_batches = 64, most_batches = 8192;

/// More threads than a loader can have.
constexpr std::uint32_t most_threads = 1u << 20;

double per_second(double servers, double service_s) noexcept {
  return service_s > 0 ? servers / service_s : std::numeric_limits<double>::infinity();
}

/// The part of a read that needs a core. If it was not measured: opening the file and copying its
/// bytes. Reads from the page cache need it too. The rest of the read is waiting. If the workers lack
/// CPUs, the time without a CPU that the decodes do not explain is the reads'.
double read_cpu_s(const Interval& interval) noexcept {
  constexpr double open_s = 10e-6, copy_s_per_byte = 1 / 3e9;
  const double cpu =
      interval.read_cpu_s.value_or(open_s + interval.encoded_bytes * copy_s_per_byte);
  const auto share = cpu_share(interval);
  double lost = 0;
  if (share.lacking && interval.plan.read_ahead == 0 && interval.decode_cpu_s) {
    const auto count = static_cast<double>(interval.decode.count);
    lost =
        std::max(0.0, (share.lost_s - interval.workers.decode_s) / count + *interval.decode_cpu_s);
  }
  return std::clamp(cpu + lost, 0.0, interval.read.mean_s);
}

/// Whether decodes mostly wait for something that is no core, for example another device. Then
/// any number of them can run at once.
bool decodes_sleep(const Interval& interval) noexcept {
  constexpr double little = 0.1;
  return interval.decode_cpu_s && !cpu_share(interval).lacking &&
         *interval.decode_cpu_s < little * interval.decode.mean_s;
}

/// The number of decodes that run at once. If the workers lack CPUs, work takes its wall time, and as
/// many threads run at once as there were: more threads get no more of the CPUs.
std::uint32_t cores_of(const Interval& interval) noexcept {
  if (decodes_sleep(interval)) return most_threads;
  return std::max(1u, cpu_share(interval).lacking ? interval.plan.workers : interval.cores);
}

/// The share of a decode's wall time on a core. Workers and copying readers beyond the number of
/// cores share the cores, and a decode's wall time includes that wait.
double core_share(const Interval& interval) noexcept {
  if (interval.seconds <= 0 || interval.decode.mean_s <= 0 || decodes_sleep(interval) ||
      cpu_share(interval).lacking)
    return 1;
  // An upper bound, if decodes are always on a core or wait for one: cores divided by the mean
  // number of decodes in progress (Little's law).
  const double under_way =
      static_cast<double>(interval.decode.count) * interval.decode.mean_s / interval.seconds;
  const double most = std::min(1.0, interval.cores / std::max(under_way, 1e-9));
  // If each thread had its own core, the additional wall time is caused by other users of the
  // machine.
  if (interval.plan.workers + std::min(interval.plan.read_ahead, 1u) <= interval.cores) return most;
  // A much lower CPU share means that decodes wait for other users of the machine, too.
  const double looked_at = interval.decode_cpu_s.value_or(0) / interval.decode.mean_s;
  return looked_at < most / 2 ? most : std::min(most, looked_at);
}

/// Mean number of rows per batch. For another batch size than the interval's, all batches count as
/// full.
double rows_of(const Interval& interval, std::uint32_t batch) noexcept {
  if (batch != interval.plan.batch || interval.batches == 0) return batch;
  const auto mean = static_cast<double>(interval.samples) / static_cast<double>(interval.batches);
  return std::clamp(mean, 1.0, static_cast<double>(batch));
}

/// A device's time per delivered batch. Not every batch is released to one.
double device_s(const Interval& interval) noexcept {
  if (interval.batches == 0) return 0;
  const auto share =
      static_cast<double>(interval.copy.count) / static_cast<double>(interval.batches);
  return interval.copy.mean_s * std::min(1.0, share);
}

}  // namespace

double own_s(const Interval& interval) noexcept {
  // A larger time is not overhead: the interval has few samples or no times.
  constexpr double most_s = 20e-6, most_share = 0.1;
  const auto& decode = interval.decode;
  const auto rows = static_cast<double>(std::max(decode.count, interval.samples));
  if (decode.count == 0 || rows == 0) return 0;
  const double own =
      (interval.workers.decode_s - decode.mean_s * static_cast<double>(decode.count)) / rows;
  // If the workers lack CPUs, they wait for one there, too.
  return cpu_share(interval).lacking
             ? std::max(0.0, own)
             : std::clamp(own, 0.0, std::max(most_s, most_share * decode.mean_s));
}

double decoded_share(const Interval& interval) noexcept {
  const auto decodes = interval.decode.count, reads = interval.read.count;
  const auto under_way = std::uint64_t{interval.plan.workers} + interval.plan.read_ahead;
  if (interval.hit_share > 0 || decodes == 0 || reads <= decodes + under_way) return 1;
  return static_cast<double>(decodes) / static_cast<double>(reads);
}

Workload workload_of(const Interval& interval, std::uint32_t batch, std::uint64_t seed,
                     std::stop_token stop) {
  if (interval.samples == 0 || interval.plan.batch == 0)
    refuse("an interval without a sample predicts nothing");
  const auto& taken = interval.consumer;
  const auto batches =
      std::clamp((usual_samples + batch - 1) / batch, fewest_batches, most_batches);
  // Large batches take several rounds of the draws.
  const auto rounds = std::max<std::uint64_t>(1, batches * batch / (2 * usual_samples));
  const auto samples = static_cast<std::size_t>((batches * batch + rounds - 1) / rounds);
  const auto encoded = static_cast<std::uint64_t>(std::llround(interval.encoded_bytes));
  const double read_cpu = read_cpu_s(interval);
  const auto& origin = interval.plan.origin;
  const bool blanks = origin && origin->options.faults.policy == OnFault::blank;
  Workload work{
      .read_wait_s = interval.read.mean_s - read_cpu,
      .read_cpu_s = read_cpu,
      .decode_s = interval.decode.mean_s * core_share(interval),
      .decodes = blanks ? decoded_share(interval) : 1,
      .own_s = own_s(interval) * core_share(interval),
      // A worker that lacks a CPU waits for the readers, too.
      .reader_own_s = cpu_share(interval).lacking ? 0 : own_s(interval) * core_share(interval),
      .consumer_s = taken.mean_s * batch / interval.plan.batch,
      .lease_s = std::min(interval.lease_s, taken.mean_s) * batch / interval.plan.batch,
      .device_s = device_s(interval) * batch / interval.plan.batch,
      .read = Draws(samples, interval.read, mix_key({seed, 1})),
      .decode = Draws(samples, interval.decode, mix_key({seed, 2})),
      .consumer = Draws(static_cast<std::size_t>(batches), taken, mix_key({seed, 3})),
      .device = Draws(static_cast<std::size_t>(batches), interval.copy, mix_key({seed, 4})),
      .cores = cores_of(interval),
      .batch = batch,
      .rows = rows_of(interval, batch),
      .encoded_bytes = encoded,
      .scratch_bytes = sub_floor(plan::typical_arena(interval.plan), encoded),
      .batches = batches,
      .stop = std::move(stop)};
  if (const auto share = cpu_share(interval); share.lacking && interval.workers.decode_s > 0) {
    work.slowdown =
        (interval.cpu.workers_s + share.lost_s) / std::max(1e-9, interval.cpu.workers_s);
    work.cpu = scaled(interval.cpu, 1 / interval.workers.decode_s);
  }
  return with_cache(std::move(work), interval.plan, interval.plan.cache.keep, interval.hit_share);
}

Workload with_cache(Workload work, const Plan& plan, Cache kept, double share) noexcept {
  // Speed of copying a row that is in no CPU cache: 8e9 to 11e9 on an EPYC of 2019.
  constexpr double bytes_per_s = 9e9;
  work.kept = kept;
  work.hit_share = kept == Cache::nothing ? 0 : share;
  // The samples of the hits decode, so those that do not are among the others.
  if (kept == Cache::decoded && share < 1)
    work.decodes = std::max(0.0, work.decodes - share) / (1 - share);
  work.copy_s = work.slowdown * static_cast<double>(plan.row_bytes) / bytes_per_s;
  return work;
}

bool Workload::hits(std::uint64_t n) const noexcept {
  // Multiples of the golden ratio are spread evenly in [0, 1) (Knuth, The Art of Computer
  // Programming 3, 6.4).
  constexpr double golden = 0.6180339887498949;
  return hit_share > 0 && std::fmod(static_cast<double>(n) * golden, 1.0) < hit_share;
}

double Workload::compute_s() const noexcept {
  const double decoded = kept == Cache::decoded ? 1 - hit_share : 1;
  return own_s + decode_s * decodes * decoded + copy_s * (1 - decoded);
}

bool Workload::workers_read(std::uint32_t read_ahead) const noexcept {
  return read_ahead == 0 || 1e9 * read_s() <= conductor::ReadPace::quick_ns;
}

double Workload::reads_per_s(std::uint32_t workers, std::uint32_t read_ahead) const noexcept {
  return workers_read(read_ahead) ? per_second(workers, read_s() + compute_s())
                                  : per_second(read_ahead, read_s());
}

double Workload::decodes_per_s(std::uint32_t workers, std::uint32_t read_ahead) const noexcept {
  const auto copying = read_cpu_s * (1 - hit_share);
  const auto by_cores =
      per_second(cores, copying + compute_s() + (workers_read(read_ahead) ? 0 : reader_own_s));
  return std::min(by_cores,
                  per_second(workers, compute_s() + (workers_read(read_ahead) ? copying : 0)));
}

double Workload::production_per_s(std::uint32_t workers, std::uint32_t read_ahead) const noexcept {
  return std::min(reads_per_s(workers, read_ahead), decodes_per_s(workers, read_ahead));
}

double Workload::consumption_per_s() const noexcept {
  return per_second(rows, std::max(consumer_s, device_s));
}

}  // namespace weir::advice
