#include "plan/workload.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "base/checked.hpp"
#include "base/random.hpp"
#include "plan/loader_bytes.hpp"
#include "plan/text.hpp"

namespace weir::simulation {
namespace {

// One round of draws: enough for a percent, few enough for a few milliseconds.
constexpr std::uint64_t usual_samples = 32'768, fewest_batches = 64, most_batches = 8192;

double per_second(double servers, double service_s) noexcept {
  return service_s > 0 ? servers / service_s : std::numeric_limits<double>::infinity();
}

double variation(const Service& service) noexcept {
  return service.mean_s > 0 ? service.deviation_s / service.mean_s : 0.0;
}

/// CPU time of a read that nobody measured: opening the file and copying its bytes, which even a
/// page cache does not spare. The rest of the read is waiting.
double read_cpu_s(const Window& window) noexcept {
  constexpr double open_s = 10e-6, copy_s_per_byte = 1 / 3e9;
  const double cpu =
      window.read_cpu_s > 0 ? window.read_cpu_s : open_s + window.encoded_bytes * copy_s_per_byte;
  return std::clamp(cpu, 0.0, window.read.mean_s);
}

/// Of a decode's time on the clock, the share on a core. Workers beyond the cores take turns on them,
/// and so do readers while they copy; the clock of a decode runs on meanwhile.
double core_share(const Window& window) noexcept {
  if (window.seconds <= 0 || window.decode.mean_s <= 0) return 1;
  // Were decodes always on a core or waiting for one: no more than the cores are at them at a time,
  // of as many as are under way on average (Little's law).
  const double under_way =
      static_cast<double>(window.decode.count) * window.decode.mean_s / window.seconds;
  const double most = std::min(1.0, window.cores / std::max(under_way, 1e-9));
  // Where each had a core for himself, what the clock has more is the machine's: other guests of it.
  if (window.plan.workers + std::min(window.plan.read_ahead, 1u) <= window.cores) return most;
  // Far less than that on a core is no want of cores, but a decode that waits for something else.
  const double looked_at = window.decode_cpu_s / window.decode.mean_s;
  return looked_at < most / 2 ? most : std::min(most, looked_at);
}

/// Rows of a batch, mean. Of another size than the window's it is not known how many are short.
double rows_of(const Window& window, std::uint32_t batch) noexcept {
  if (batch != window.plan.batch || window.batches == 0) return batch;
  const auto mean = static_cast<double>(window.samples) / static_cast<double>(window.batches);
  return std::clamp(mean, 1.0, static_cast<double>(batch));
}

/// Time of workers around a decode (taking rows, posting, waking others), a sample. It is the
/// loader's own work and takes a core as the decode does; WorkerTime has it under decode_s.
double around_s(const Window& window) noexcept {
  const auto& decode = window.decode;
  if (decode.count == 0) return 0;
  const auto count = static_cast<double>(decode.count);
  const double around = window.workers.decode_s / count - decode.mean_s;
  // More than a part of the decode is no bookkeeping: a window of few samples, or without a clock.
  return std::clamp(around, 0.0, 0.1 * decode.mean_s);
}

}  // namespace

Draws::Draws(std::size_t count, double variation, std::uint64_t key) {
  if (!(variation > 0)) {
    factors_.assign(1, 1.0);
    return;
  }
  const double sigma = std::sqrt(std::log1p(variation * variation));
  RandomStream random(key);
  factors_.reserve(count + 1);
  while (factors_.size() < count) {
    // Box and Muller, A Note on the Generation of Random Normal Deviates, 1958: two at a time.
    const double radius = sigma * std::sqrt(-2 * std::log1p(-random.uniform()));
    const double angle = 2 * std::numbers::pi * random.uniform();
    factors_.push_back(std::exp(radius * std::cos(angle)));
    factors_.push_back(std::exp(radius * std::sin(angle)));
  }
  factors_.resize(count);
  const double mean =
      std::accumulate(factors_.begin(), factors_.end(), 0.0) / static_cast<double>(count);
  for (auto& factor : factors_) factor /= mean;
}

Workload workload_of(const Window& window, std::uint32_t batch, std::uint64_t seed,
                     const Service* consumer) {
  if (window.samples == 0 || window.plan.batch == 0)
    refuse("a window without a sample predicts nothing");
  const auto& taken = consumer ? *consumer : window.consumer;
  const auto batches =
      std::clamp((usual_samples + batch - 1) / batch, fewest_batches, most_batches);
  const auto samples = static_cast<std::size_t>(batches * batch);
  const auto encoded = static_cast<std::uint64_t>(std::llround(window.encoded_bytes));
  const double read_cpu = read_cpu_s(window);
  Workload work{
      .read_wait_s = window.read.mean_s - read_cpu,
      .read_cpu_s = read_cpu,
      .decode_s = (window.decode.mean_s + around_s(window)) * core_share(window),
      .consumer_s = taken.mean_s * batch / window.plan.batch,
      .read = Draws(samples, variation(window.read), mix_key({seed, 1})),
      .decode = Draws(samples, variation(window.decode), mix_key({seed, 2})),
      .consumer = Draws(static_cast<std::size_t>(batches), variation(taken), mix_key({seed, 3})),
      .cores = std::max(1u, window.cores),
      .batch = batch,
      .rows = rows_of(window, batch),
      .encoded_bytes = encoded,
      .scratch_bytes = sub_floor(typical_arena(window.plan), encoded),
      .batches = batches};
  return with_cache(std::move(work), window.plan, window.plan.cache.keep, window.hit_share);
}

Workload with_cache(Workload work, const Plan& plan, Cache kept, double share) noexcept {
  // What copying a row takes that lies in no cache of a core; a machine of 2020 does twice as much.
  constexpr double bytes_per_s = 5e9;
  work.kept = kept;
  work.hit_share = kept == Cache::nothing ? 0 : share;
  work.copy_s = static_cast<double>(plan.shape.values() + plan.side_bytes) / bytes_per_s;
  return work;
}

bool Workload::hits(std::uint64_t n) const noexcept {
  // Multiples of the golden ratio lie as evenly in [0, 1) as any (Knuth, The Art of Computer
  // Programming 3, 6.4).
  constexpr double golden = 0.6180339887498949;
  return hit_share > 0 && std::fmod(static_cast<double>(n) * golden, 1.0) < hit_share;
}

double Workload::compute_s() const noexcept {
  return kept == Cache::decoded ? decode_s * (1 - hit_share) + copy_s * hit_share : decode_s;
}

double Workload::reads_per_s(std::uint32_t workers, std::uint32_t read_ahead) const noexcept {
  return read_ahead > 0 ? per_second(read_ahead, read_s())
                        : per_second(workers, read_s() + compute_s());
}

double Workload::decodes_per_s(std::uint32_t workers, std::uint32_t read_ahead) const noexcept {
  const auto copying = read_cpu_s * (1 - hit_share);
  const auto by_cores = per_second(cores, copying + compute_s());
  return std::min(by_cores, per_second(workers, compute_s() + (read_ahead > 0 ? 0 : copying)));
}

double Workload::production_per_s(std::uint32_t workers, std::uint32_t read_ahead) const noexcept {
  return std::min(reads_per_s(workers, read_ahead), decodes_per_s(workers, read_ahead));
}

double Workload::consumption_per_s() const noexcept { return per_second(rows, consumer_s); }

}  // namespace weir::simulation
