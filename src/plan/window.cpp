#include "weir/window.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <thread>

namespace weir {

namespace {

/// A wait that matters, as a share of the time.
constexpr double tolerable = 0.1;

StageClock stage_of(const Report& report, Stage stage) {
  for (const auto& clock : report.stages)
    if (clock.stage == stage) return clock;
  return {.stage = stage};
}

template <class T>
T less(T later, T earlier) noexcept {
  return later > earlier ? static_cast<T>(later - earlier) : T{};
}

Timing less(const Timing& later, const Timing& earlier) noexcept {
  return {less(later.count, earlier.count), less(later.sum_s, earlier.sum_s),
          less(later.squares_s2, earlier.squares_s2)};
}

WorkerTime less(const WorkerTime& later, const WorkerTime& earlier) noexcept {
  return {less(later.read_s, earlier.read_s), less(later.decode_s, earlier.decode_s),
          less(later.starved_s, earlier.starved_s), less(later.throttled_s, earlier.throttled_s),
          less(later.idle_s, earlier.idle_s)};
}

/// What one stage did between two reports.
struct Work {
  Timing time;
  std::uint64_t bytes = 0;
};

Work work(const Report& earlier, const Report& now, Stage stage) {
  const auto before = stage_of(earlier, stage), after = stage_of(now, stage);
  return {less(Timing{after.count, after.busy_s, after.squares_s2},
               Timing{before.count, before.busy_s, before.squares_s2}),
          less(after.bytes, before.bytes)};
}

/// 0 where nobody looked; else at least a nanosecond.
double cpu_of_a_read(const Report& earlier, const Report& now) {
  const auto before = stage_of(earlier, Stage::read), after = stage_of(now, Stage::read);
  const auto count = less(after.cpu_count, before.cpu_count);
  if (count == 0) return 0;
  return std::max(1e-9, less(after.cpu_s, before.cpu_s) / static_cast<double>(count));
}

double share(double part, double whole) noexcept { return whole > 0 ? part / whole : 0; }

/// Of the time of those that were looked at: few are, and images differ. 0 where nobody looked.
double share_on_a_core(const Report& earlier, const Report& now, Stage stage) {
  const auto before = stage_of(earlier, stage), after = stage_of(now, stage);
  return std::min(
      1.0, share(less(after.cpu_s, before.cpu_s), less(after.cpu_busy_s, before.cpu_busy_s)));
}

std::string sentence(const Verdict& verdict, double seconds) {
  char text[256];
  const auto percent = [](double part) { return 100 * part; };
  std::snprintf(text, sizeof text,
                "of %.3g s the consumer waited %.1f %% (%.1f %% for reads, %.1f %% for decoding, "
                "%.1f %% for memory), the producers %.1f %%",
                seconds, percent(verdict.consumer_wait), percent(verdict.fetch_stall),
                percent(verdict.prep_stall), percent(verdict.memory_stall),
                percent(verdict.producer_wait));
  return text;
}

}  // namespace

Service service(const Timing& timing) noexcept {
  if (timing.count == 0) return {};
  const auto n = static_cast<double>(timing.count);
  const double mean = timing.sum_s / n;
  return {timing.count, mean, std::sqrt(std::max(0.0, timing.squares_s2 / n - mean * mean))};
}

Window window(const Report& now) { return window({}, now); }

Window window(const Report& earlier, const Report& now) {
  Window w;
  w.plan = now.plan;
  w.cores = std::max(1u, std::thread::hardware_concurrency());
  w.seconds = less(now.queue.seconds, earlier.queue.seconds);
  const auto handed = work(earlier, now, Stage::handoff);
  w.batches = handed.time.count;
  w.samples = now.plan.sizes.mode == Sizes::fixed
                  ? handed.bytes / std::max<std::uint64_t>(1, now.plan.shape.values())
                  : less(now.sizes.images, earlier.sizes.images);
  w.read = service(work(earlier, now, Stage::read).time);
  w.read_cpu_s = cpu_of_a_read(earlier, now);
  const auto decode = work(earlier, now, Stage::decode);
  const auto header_and_pixels = service(decode.time);
  const auto fit = service(work(earlier, now, Stage::fit).time);
  // One follows the other in each sample, and both grow with the image: their deviations add up.
  w.decode = {header_and_pixels.count, header_and_pixels.mean_s + fit.mean_s,
              header_and_pixels.deviation_s + fit.deviation_s};
  w.decode_cpu_s = w.decode.mean_s * share_on_a_core(earlier, now, Stage::decode);
  w.consumer = service(less(now.queue.consumer, earlier.queue.consumer));
  w.encoded_bytes =
      share(static_cast<double>(decode.bytes), static_cast<double>(decode.time.count));
  w.consumer_wait_s = less(now.queue.consumer_wait_s, earlier.queue.consumer_wait_s);
  w.fetch_stall_s = less(now.queue.fetch_stall_s, earlier.queue.fetch_stall_s);
  w.prep_stall_s = less(now.queue.prep_stall_s, earlier.queue.prep_stall_s);
  w.memory_stall_s = less(now.queue.memory_stall_s, earlier.queue.memory_stall_s);
  const auto asked = less(now.queue.asked, earlier.queue.asked);
  const auto found = less(now.queue.found, earlier.queue.found);
  if (asked > 0) w.data_readiness = static_cast<double>(found) / static_cast<double>(asked);
  w.workers = less(now.queue.workers, earlier.queue.workers);
  const auto hits = less(now.cache.hits, earlier.cache.hits);
  const auto misses = less(now.cache.misses, earlier.cache.misses);
  w.hit_share = share(static_cast<double>(hits), static_cast<double>(hits + misses));
  w.source_samples = now.source_samples;
  return w;
}

std::string_view to_string(Regime regime) noexcept {
  switch (regime) {
    case Regime::balanced: return "balanced";
    case Regime::storage: return "storage";
    case Regime::decode: return "decode";
    case Regime::consumer: return "consumer";
    case Regime::memory: return "memory";
  }
  return "";
}

Verdict judge(const Window& w) {
  Verdict verdict;
  verdict.consumer_wait = share(w.consumer_wait_s, w.seconds);
  verdict.fetch_stall = share(w.fetch_stall_s, w.seconds);
  verdict.prep_stall = share(w.prep_stall_s, w.seconds);
  verdict.memory_stall = share(w.memory_stall_s, w.seconds);
  // Of the time of those there were: their number may have changed.
  const auto& [read, decode, starved, throttled, idle] = w.workers;
  verdict.producer_wait = share(idle, read + decode + starved + throttled + idle);
  const double longer = std::max(verdict.consumer_wait, verdict.producer_wait);
  if (longer <= tolerable) {
    verdict.regime = Regime::balanced;
  } else if (verdict.producer_wait > verdict.consumer_wait) {
    verdict.regime = Regime::consumer;
  } else if (verdict.memory_stall > std::max(verdict.fetch_stall, verdict.prep_stall)) {
    verdict.regime = Regime::memory;
  } else {
    verdict.regime = verdict.fetch_stall > verdict.prep_stall ? Regime::storage : Regime::decode;
  }
  verdict.why = sentence(verdict, w.seconds);
  return verdict;
}

}  // namespace weir
