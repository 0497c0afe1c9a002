#include "observe/metrics.hpp"

#include <algorithm>
#include <string_view>

#include "advice/regimes.hpp"
#include "report/fields.hpp"
#include "report/figures.hpp"
#include "weir/version.hpp"

namespace weir::observe {
namespace {

using prometheus::MetricFamily;
using prometheus::MetricType;

/// A metric of a family, identified by the value of its label.
struct Labelled {
  template <class T>
  Labelled(std::string_view of, T number) : label(of), value(static_cast<double>(number)) {}
  std::string_view label;
  double value;
};

using Families = std::vector<MetricFamily>;

MetricFamily& put(Families& out, MetricType type, const char* name, const char* help) {
  auto& family = out.emplace_back();
  family.name = name;
  family.help = help;
  family.type = type;
  return family;
}

prometheus::ClientMetric& metric(MetricFamily& family, const char* label, std::string_view value) {
  auto& one = family.metric.emplace_back();
  if (label != nullptr) one.label.push_back({label, std::string(value)});
  return one;
}

/// Adds a counter if the name ends in _total, otherwise a gauge.
void put(Families& out, const char* name, const char* help, const char* label,
         const std::vector<Labelled>& values) {
  const bool grows = std::string_view(name).ends_with("_total");
  auto& family = put(out, grows ? MetricType::Counter : MetricType::Gauge, name, help);
  for (const auto& one : values) {
    auto& made = metric(family, label, one.label);
    (grows ? made.counter.value : made.gauge.value) = one.value;
  }
}
template <class T>
void put(Families& out, const char* name, const char* help, T value) {
  put(out, name, help, nullptr, {{"", value}});
}

void put_slabs(Families& out, const Plan& plan, const SlabBytes& slabs) {
  const auto named = report::slab_columns(plan, slabs);
  std::vector<Labelled> columns;
  for (const auto& [name, bytes] : named) columns.emplace_back(name, bytes);
  put(out, "weir_slab_bytes", "Bytes of all slabs, by column of a row.", "column", columns);
}

void put_samples(Families& out, const SampleTally& samples) {
  std::vector<Labelled> held, ended;
  for (const auto& field : report::sample_fields)
    (field.held ? held : ended).emplace_back(field.name, samples.*field.value);
  put(out, "weir_samples_total",
      "Samples that came to this: drawn for a batch; consumed, discarded, dropped, "
      "failed; replaced: rows that another sample filled; omitted: never drawn; "
      "partners: further samples of finished rows.",
      "state", ended);
  put(out, "weir_samples_held", "Samples drawn whose end is not yet known.", "state", held);
}

void put_queue(Families& out, const Report& figures, const Snapshot& now) {
  const auto& setting = figures.setting;
  const auto& queue = figures.queue;
  put(out, "weir_queue_batches", "Batches, by state; filling and ready share the queue.", "state",
      {{"filling", now.filling}, {"ready", now.ready}, {"leased", now.leased}});
  put(out, "weir_queue_batches_max", "max_queue_size, as set now: the most that fill or are ready.",
      setting.max_queue_size);
  put(out, "weir_workers", "Threads that decode, as set now.", setting.workers);
  put(out, "weir_reads_ahead", "Reads kept outstanding, as set now; 0: workers read.",
      setting.read_ahead);
  put(out, "weir_batches_delivered_total", "Batches handed to the consumer.", queue.batches);
  put(out, "weir_consumer_wait_seconds_total", "Time the consumer waited in next().",
      queue.consumer_wait_s);
  put(out, "weir_consumer_wait_by_cause_seconds_total",
      "The consumer's waiting by what it waited for.", "cause",
      {{"storage", queue.storage_wait_s},
       {"decode", queue.decode_wait_s},
       {"memory", queue.memory_wait_s},
       {"device", queue.device_wait_s}});
  if (queue.batches > 0)
    put(out, "weir_data_readiness_ratio", "Share of the consumer's steps that found a batch ready.",
        queue.data_readiness);
}

void put_stages(Families& out, const std::vector<StageStats>& stages) {
  auto& family = put(
      out, MetricType::Summary, "weir_stage_seconds",
      "Time of one sample in a stage, or of all samples of a row with partners (handoff, lease, "
      "copy: of one batch).");
  for (const auto& stage : stages) {
    auto& summary = metric(family, "stage", to_string(stage.stage)).summary;
    summary.sample_count = stage.count;
    summary.sample_sum = stage.busy_s;
    for (const auto quantile : {0.5, 0.9, 0.99})
      if (const auto us = stage.quantile_us(quantile))
        summary.quantile.push_back({quantile, *us * 1e-6});
  }
}

void put_work(Families& out, const Report& figures) {
  put_stages(out, figures.stages);
  std::vector<Labelled> workers, bounds, faults;
  for (const auto& field : report::worker_fields)
    workers.emplace_back(field.name, figures.queue.workers.*field.value);
  for (const auto& row : advice::regimes)
    bounds.emplace_back(row.name, figures.regime == row.name ? 1 : 0);
  for (std::size_t i = 0; i < fault_kind_count; ++i)
    faults.emplace_back(to_string(static_cast<FaultKind>(i)), figures.fault_kinds[i]);
  put(out, "weir_worker_seconds_total", "What all workers together did with their time.", "state",
      workers);
  put(out, "weir_regime", "1 for what bounds the run; all 0: not known yet.", "regime", bounds);
  put(out, "weir_faults_total", "Samples that failed, by kind.", "kind", faults);
}

void put_planes(Families& out, const std::vector<PlaneStats>& planes) {
  auto& rows = put(out, MetricType::Counter, "weir_plane_samples_total",
                   "Samples with a sound image, by what their row shows of a plane: ok, damaged; "
                   "absent, broken: fill.");
  for (const auto& plane : planes)
    for (const auto& field : report::plane_fields) {
      auto& row = metric(rows, "plane", plane.name);
      row.label.push_back({"state", field.name});
      row.counter.value = static_cast<double>(plane.*field.value);
    }
  std::vector<Labelled> times;
  for (const auto& plane : planes) times.emplace_back(plane.name, plane.decode_s);
  put(out, "weir_plane_decode_seconds_total", "Time of the decodes of a plane, over all workers.",
      "plane", times);
}

/// What the kernel does not say is left out.
void put_cpu(Families& out, const CpuUse& cpu) {
  if (!cpu.cpus) return;
  const auto put_known = [&out](const char* name, const char* help, const auto& figure) {
    if (figure) put(out, name, help, *figure);
  };
  put(out, "weir_worker_cpu_seconds_total", "CPU time of all workers together.", cpu.workers_s);
  put_known("weir_worker_cpu_wait_seconds_total",
            "Time during which workers were ready to run and had no CPU.", cpu.wait_s);
  put(out, "weir_cpus", "CPUs on which the workers may run.", *cpu.cpus);
  put_known("weir_cpu_limit", "CPU limit of the process (cgroup), in CPUs.", cpu.limit);
  put_known("weir_cpu_throttled_seconds_total",
            "Time during which the CPU limit stopped threads, summed over CPUs.", cpu.throttle_s);
  put_known("weir_cpu_throttled_periods_total", "Periods in which the CPU limit stopped threads.",
            cpu.throttled_periods);
  put_known("weir_cpu_steal_seconds_total",
            "CPU time that the hypervisor withheld from this virtual machine.", cpu.steal_s);
}

void put_cache(Families& out, const CacheStats& cache) {
  put(out, "weir_cache_draws_total",
      "Samples drawn that the cache had (hit), or that were read (miss).", "result",
      {{"hit", cache.hits}, {"miss", cache.misses}});
  put(out, "weir_cache_evicted_total", "Samples that the cache let go of.", cache.evicted);
  put(out, "weir_cache_samples", "Samples that the cache holds.", cache.samples);
}

}  // namespace

MetricFamily build_info() {
  Families out;
  put(out, "weir_build_info", "1; the version of weir is in the label.", "version", {{version, 1}});
  return std::move(out.front());
}

Families metric_families(const Report& figures, const Snapshot& now, double cpu_s) {
  Families out;
  put_queue(out, figures, now);
  put_samples(out, now.samples);
  put_slabs(out, figures.plan, now.slabs);
  put_work(out, figures);
  if (!figures.planes.empty()) put_planes(out, figures.planes);
  put_cpu(out, figures.queue.cpu);
  if (figures.plan.cache.keep != Cache::nothing) put_cache(out, figures.cache);
  put(out, "process_cpu_seconds_total", "User and system CPU time in seconds.", cpu_s);
  return out;
}

void Ratchet::hold(Families& families) {
  for (auto& family : families) {
    if (family.type != MetricType::Counter) continue;
    for (auto& metric : family.metric) {
      std::string labels;
      for (const auto& label : metric.label) labels += label.value + '\n';
      auto& most = most_[{family.name, labels}];
      most = metric.counter.value = std::max(most, metric.counter.value);
    }
  }
}

}  // namespace weir::observe
