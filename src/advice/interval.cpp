#include "weir/advice.hpp"

#include <algorithm>
#include <cmath>

#include "advice/cpu_share.hpp"
#include "advice/regimes.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "base/time_bins.hpp"

namespace weir {
namespace {

/// Waits below this share of the time are negligible.
constexpr double tolerable = 0.1;

StageStats stage_of(const Report& report, Stage stage) {
  for (const auto& clock : report.stages)
    if (clock.stage == stage) return clock;
  return {.stage = stage};
}

double share(double part, double whole) noexcept { return whole > 0 ? part / whole : 0; }

template <class T>
T less(T later, T earlier) noexcept {
  return later > earlier ? static_cast<T>(later - earlier) : T{};
}

/// Subtracts the sums of `earlier` from those of `later`.
template <class Sums, class... Values>
void subtract(Sums& later, const Sums& earlier, Values Sums::*... sums) noexcept {
  ((later.*sums = less(later.*sums, earlier.*sums)), ...);
}

/// Statistics of one stage between two reports.
StageStats between(const Report& earlier, const Report& now, Stage stage) {
  using Clock = StageStats;
  auto clock = stage_of(now, stage);
  subtract(clock, stage_of(earlier, stage), &Clock::count, &Clock::busy_s, &Clock::squares_s2,
           &Clock::bytes, &Clock::cpu_s, &Clock::cpu_busy_s, &Clock::cpu_count);
  const auto& before = stage_of(earlier, stage).times;
  for (std::size_t bin = 0; bin < std::min(before.size(), clock.times.size()); ++bin)
    clock.times[bin] = less(clock.times[bin], before[bin]);
  return clock;
}

Service service(const StageStats& clock) {
  auto service = weir::service(Timing{clock.count, clock.busy_s, clock.squares_s2});
  service.times = clock.times;
  return service;
}

std::string sentence(const Verdict& verdict, double seconds) {
  return concat(format("of %.3g s the consumer waited ", seconds), percent(verdict.consumer_wait),
                " (", percent(verdict.storage_wait), " for reads, ", percent(verdict.decode_wait),
                " for ", advice::decode_cause(verdict), ", ", percent(verdict.memory_wait),
                " for memory",
                verdict.device_wait > 0 ? ", " + percent(verdict.device_wait) + " for the device"
                                        : std::string(),
                "), the workers ", percent(verdict.producer_wait));
}

}  // namespace

Service service(const Timing& timing) noexcept {
  if (timing.count == 0) return {};
  const auto n = static_cast<double>(timing.count);
  const double mean = timing.sum_s / n;
  return {.count = timing.count,
          .mean_s = mean,
          .deviation_s = std::sqrt(std::max(0.0, timing.squares_s2 / n - mean * mean))};
}

Interval interval(const Report& now) { return interval({}, now); }

Interval interval(const Report& earlier, const Report& now) {
  Interval w;
  w.plan = now.plan;
  w.cores = threads_for(0);
  const auto handed = between(earlier, now, Stage::handoff);
  w.batches = handed.count;
  w.samples = less(now.queue.samples, earlier.queue.samples);
  const auto read = between(earlier, now, Stage::read);
  w.read = service(read);
  if (read.cpu_count > 0) w.read_cpu_s = read.cpu_s / static_cast<double>(read.cpu_count);
  const auto decode = between(earlier, now, Stage::decode);
  const auto header_and_pixels = service(decode);
  const auto fit = service(between(earlier, now, Stage::fit));
  // Both parts of a sample grow with the image, so their deviations add up.
  w.decode = {.count = header_and_pixels.count,
              .mean_s = header_and_pixels.mean_s + fit.mean_s,
              .deviation_s = header_and_pixels.deviation_s + fit.deviation_s};
  // Uses the wall time of the measured decodes, because they are few and images differ.
  if (decode.cpu_busy_s > 0)
    w.decode_cpu_s = w.decode.mean_s * std::min(1.0, share(decode.cpu_s, decode.cpu_busy_s));
  w.encoded_bytes = share(static_cast<double>(decode.bytes), static_cast<double>(decode.count));

  using Waits = QueueWaits;
  static_cast<Waits&>(w) = static_cast<const Waits&>(now.queue);
  subtract<Waits>(w, earlier.queue, &Waits::seconds, &Waits::consumer_wait_s,
                  &Waits::storage_wait_s, &Waits::decode_wait_s, &Waits::memory_wait_s,
                  &Waits::device_wait_s);
  subtract(w.workers, earlier.queue.workers, &WorkerTime::read_s, &WorkerTime::decode_s,
           &WorkerTime::storage_wait_s, &WorkerTime::memory_wait_s, &WorkerTime::idle_s);
  w.cpu = advice::between(earlier.queue.cpu, now.queue.cpu);
  auto consumer = now.queue.consumer;
  subtract(consumer, earlier.queue.consumer, &Timing::count, &Timing::sum_s, &Timing::squares_s2);
  w.consumer = service(consumer);
  w.lease_s = service(between(earlier, now, Stage::lease)).mean_s;
  w.copy = service(between(earlier, now, Stage::copy));
  const auto& last = now.queue.consumer_times;
  w.consumer.sequence.assign(last.end() - static_cast<std::ptrdiff_t>(
                                              std::min<std::uint64_t>(last.size(), consumer.count)),
                             last.end());
  const auto requested = less(now.queue.batches, earlier.queue.batches);
  if (requested > 0)
    w.data_readiness =
        static_cast<double>(less(now.queue.batches_ready, earlier.queue.batches_ready)) /
        static_cast<double>(requested);
  const auto hits = less(now.cache.hits, earlier.cache.hits);
  const auto misses = less(now.cache.misses, earlier.cache.misses);
  w.hit_share = share(static_cast<double>(hits), static_cast<double>(hits + misses));
  // One read takes all samples of a row that the cache does not have.
  if (now.plan.partners > 0 && hits > 0)
    w.hit_share = 1 - std::min(1.0, share(static_cast<double>(read.count),
                                          static_cast<double>(w.decode.count)));
  w.source_samples = now.source_samples;
  return w;
}

std::optional<double> StageStats::quantile_us(double share) const noexcept {
  const auto s = time_bins::quantile_s(times, share);
  return s ? std::optional(1e6 * *s) : std::nullopt;
}

std::string_view to_string(Regime regime) noexcept { return name_in(advice::regimes, regime); }

Verdict judge(const QueueWaits& w) {
  Verdict verdict;
  verdict.encoded = w.encoded;
  verdict.consumer_wait = share(w.consumer_wait_s, w.seconds);
  verdict.storage_wait = share(w.storage_wait_s, w.seconds);
  verdict.decode_wait = share(w.decode_wait_s, w.seconds);
  verdict.memory_wait = share(w.memory_wait_s, w.seconds);
  verdict.device_wait = share(w.device_wait_s, w.seconds);
  // Relative to the sum of the workers' time, because the number of workers may have changed.
  const auto& [read, decode, storage_wait, memory_wait, idle] = w.workers;
  verdict.producer_wait = share(idle, read + decode + storage_wait + memory_wait + idle);
  const double loader_wait = verdict.consumer_wait - verdict.device_wait;
  const double longer = std::max(verdict.consumer_wait, verdict.producer_wait);
  if (longer <= tolerable) {
    verdict.regime = Regime::balanced;
  } else if (verdict.device_wait > std::max(tolerable, loader_wait)) {
    // The workers then wait, too, because the device holds up the consumer.
    verdict.regime = Regime::copy;
  } else if (verdict.producer_wait > loader_wait) {
    verdict.regime = Regime::consumer;
  } else if (verdict.memory_wait > std::max(verdict.storage_wait, verdict.decode_wait)) {
    verdict.regime = Regime::memory;
  } else {
    verdict.regime = verdict.storage_wait > verdict.decode_wait ? Regime::storage : Regime::decode;
  }
  const auto cpu = advice::cpu_share(w);
  verdict.cpus_had = cpu.had;
  verdict.cpus_wanted = cpu.wanted;
  verdict.why = sentence(verdict, w.seconds);
  // A read that has its bytes waits for a CPU, too.
  if (cpu.lacking && (verdict.regime == Regime::decode || verdict.regime == Regime::storage)) {
    verdict.regime = Regime::cpu;
    verdict.cpu_cause = advice::cpu_reason(w).text;
    verdict.why += "; " + advice::cpu_text(verdict);
  }
  return verdict;
}

}  // namespace weir
