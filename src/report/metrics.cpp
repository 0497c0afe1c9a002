#include "report/metrics.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "plan/regimes.hpp"
#include "weir/version.hpp"

namespace weir::report {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

/// One family under construction; all its metrics have one label, or none.
class Family {
 public:
  Family(std::string name, MetricType type, std::string help, std::string label = {})
      : label_(std::move(label)) {
    family_.name = std::move(name);
    family_.type = type;
    family_.help = std::move(help);
  }

  template <class T>
  Family& add(std::string_view label, T value) {
    auto& metric = next(label);
    (family_.type == MetricType::Counter ? metric.counter.value : metric.gauge.value) =
        static_cast<double>(value);
    return *this;
  }
  Family& add(const StageClock& stage) {
    auto& summary = next(to_string(stage.stage)).summary;
    summary.sample_count = stage.count;
    summary.sample_sum = stage.busy_s;
    const std::array quantiles{std::pair{0.5, stage.p50_us}, std::pair{0.9, stage.p90_us},
                               std::pair{0.99, stage.p99_us}};
    for (const auto& [quantile, us] : quantiles)
      if (us) summary.quantile.push_back({quantile, *us * 1e-6});
    return *this;
  }
  MetricFamily done() { return std::move(family_); }

 private:
  ClientMetric& next(std::string_view label) {
    auto& metric = family_.metric.emplace_back();
    if (!label_.empty()) metric.label.push_back({label_, std::string(label)});
    return metric;
  }

  std::string label_;
  MetricFamily family_;
};

Family counter(std::string name, std::string help, std::string label = {}) {
  return {std::move(name), MetricType::Counter, std::move(help), std::move(label)};
}
Family gauge(std::string name, std::string help, std::string label = {}) {
  return {std::move(name), MetricType::Gauge, std::move(help), std::move(label)};
}

using Families = std::vector<MetricFamily>;

void put_memory(Families& out, const MemorySnapshot& memory) {
  auto accounts = gauge("weir_memory_bytes", "Bytes on the books, by account.", "account");
  for (std::size_t i = 0; i < account_count; ++i)
    accounts.add(to_string(static_cast<Account>(i)), memory.accounts[i]);
  out.push_back(accounts.done());
  out.push_back(gauge("weir_memory_live_bytes", "Bytes on the books: the sum of the accounts.")
                    .add({}, memory.live)
                    .done());
  out.push_back(
      gauge("weir_memory_peak_bytes", "The most that was ever live.").add({}, memory.peak).done());
  const auto bound = memory.budget == UINT64_MAX ? std::numeric_limits<double>::infinity()
                                                 : static_cast<double>(memory.budget);
  out.push_back(gauge("weir_memory_budget_bytes", "The most that may ever be live; +Inf: no bound.")
                    .add({}, bound)
                    .done());
}

void put_samples(Families& out, const SampleTally& samples) {
  out.push_back(
      counter("weir_samples_total",
              "Samples that came to this: drawn for a batch; consumed, discarded, dropped, "
              "failed; replaced: rows that another sample filled; omitted: never drawn.",
              "state")
          .add("drawn", samples.drawn)
          .add("consumed", samples.consumed)
          .add("discarded", samples.discarded)
          .add("dropped", samples.dropped)
          .add("failed", samples.failed)
          .add("replaced", samples.replaced)
          .add("omitted", samples.omitted)
          .done());
  out.push_back(gauge("weir_samples_held", "Samples drawn whose end is not yet known.", "state")
                    .add("in_flight", samples.in_flight)
                    .add("ready", samples.ready)
                    .add("leased", samples.leased)
                    .done());
}

void put_queue(Families& out, const Sight& sight) {
  out.push_back(
      gauge("weir_queue_batches", "Batches, by state; filling and ready share the queue.", "state")
          .add("filling", sight.filling)
          .add("ready", sight.ready)
          .add("leased", sight.leased)
          .done());
  out.push_back(gauge("weir_queue_batches_max",
                      "max_queue_size, as set now: the most that fill or are ready.")
                    .add({}, sight.figures.setting.max_queue_size)
                    .done());
  out.push_back(gauge("weir_workers", "Threads that decode, as set now.")
                    .add({}, sight.figures.setting.workers)
                    .done());
  out.push_back(gauge("weir_reads_ahead", "Reads kept outstanding, as set now; 0: workers read.")
                    .add({}, sight.figures.setting.read_ahead)
                    .done());
  const auto& queue = sight.figures.queue;
  out.push_back(counter("weir_batches_delivered_total", "Batches handed to the consumer.")
                    .add({}, queue.asked)
                    .done());
  out.push_back(counter("weir_consumer_wait_seconds_total", "Time the consumer waited in next().")
                    .add({}, queue.consumer_wait_s)
                    .done());
  out.push_back(counter("weir_consumer_stall_seconds_total",
                        "The consumer's waiting by what it waited for.", "cause")
                    .add("fetch", queue.fetch_stall_s)
                    .add("prep", queue.prep_stall_s)
                    .add("memory", queue.memory_stall_s)
                    .done());
  out.push_back(gauge("weir_data_readiness_ratio",
                      "Share of the consumer's steps at which a batch was waiting.")
                    .add({}, queue.data_readiness)
                    .done());
}

void put_work(Families& out, const Report& figures) {
  Family stages("weir_stage_seconds", MetricType::Summary,
                "Time of one sample in a stage (handoff, lease: of one batch).", "stage");
  for (const auto& stage : figures.stages) stages.add(stage);
  out.push_back(stages.done());
  const auto& workers = figures.queue.workers;
  out.push_back(counter("weir_worker_seconds_total",
                        "What all workers together did with their time.", "state")
                    .add("read", workers.read_s)
                    .add("decode", workers.decode_s)
                    .add("starved", workers.starved_s)
                    .add("throttled", workers.throttled_s)
                    .add("idle", workers.idle_s)
                    .done());
  auto bounds = gauge("weir_regime", "1 for what bounds the run; all 0: not known yet.", "regime");
  for (const auto& row : regimes)
    bounds.add(row.name, figures.regime == row.name ? 1 : 0);
  out.push_back(bounds.done());
  auto faults = counter("weir_faults_total", "Samples that failed, by kind.", "kind");
  for (std::size_t i = 0; i < fault_kind_count; ++i)
    faults.add(to_string(static_cast<FaultKind>(i)), figures.fault_kinds[i]);
  out.push_back(faults.done());
}

void put_cache(Families& out, const CacheClock& cache) {
  out.push_back(counter("weir_cache_draws_total",
                        "Samples drawn that the cache had (hit), or that were read (miss).",
                        "result")
                    .add("hit", cache.hits)
                    .add("miss", cache.misses)
                    .done());
  out.push_back(counter("weir_cache_evicted_total", "Samples that the cache let go of.")
                    .add({}, cache.evicted)
                    .done());
  out.push_back(
      gauge("weir_cache_samples", "Samples that the cache holds.").add({}, cache.samples).done());
}

}  // namespace

MetricFamily build_info() {
  return gauge("weir_build_info", "1; the version of weir is in the label.", "version")
      .add(version, 1)
      .done();
}

Families metric_families(const Sight& sight) {
  Families out;
  put_queue(out, sight);
  put_samples(out, sight.figures.samples);
  put_memory(out, sight.figures.memory);
  put_work(out, sight.figures);
  if (sight.figures.plan.cache.keep != Cache::nothing) put_cache(out, sight.figures.cache);
  out.push_back(gauge("process_resident_memory_bytes", "Resident memory size in bytes.")
                    .add({}, sight.figures.process_now.rss)
                    .done());
  out.push_back(counter("process_cpu_seconds_total", "User and system CPU time in seconds.")
                    .add({}, sight.cpu_s)
                    .done());
  return out;
}

void Ratchet::hold(Families& families) {
  for (auto& family : families) {
    if (family.type != MetricType::Counter) continue;
    for (auto& metric : family.metric) {
      const auto label = metric.label.empty() ? std::string() : metric.label.front().value;
      auto& most = most_[{family.name, label}];
      most = metric.counter.value = std::max(most, metric.counter.value);
    }
  }
}

}  // namespace weir::report
