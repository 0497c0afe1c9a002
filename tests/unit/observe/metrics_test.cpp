#include "observe/metrics.hpp"

#include <prometheus/text_serializer.h>

#include "support/catch.hpp"
#include "support/exposition.hpp"
#include "unit/report/sample_run.hpp"

using namespace weir;
using namespace weir::observe;

namespace {

struct Sight {
  Report figures;
  Snapshot now;

  auto families() const { return metric_families(figures, now, 3.5); }
};

test::Exposition exposed(const Sight& sight) {
  auto families = sight.families();
  families.push_back(build_info());
  return test::Exposition(prometheus::TextSerializer().Serialize(families));
}

Sight sample_sight() {
  Sight sight{.figures = test::sample_run().figures,
              .now = {.memory = {}, .samples = {}, .filling = 2, .ready = 8, .leased = 1}};
  auto& figures = sight.figures;
  figures.setting = {.max_queue_size = 10, .workers = 6, .read_ahead = 5, .batch = 128};
  sight.now.samples = {.drawn = 40,
                       .in_flight = 1,
                       .ready = 2,
                       .leased = 3,
                       .consumed = 20,
                       .discarded = 5,
                       .dropped = 6,
                       .failed = 3,
                       .replaced = 4,
                       .omitted = 9,
                       .partners = 21};
  figures.queue.batches = 11;
  figures.queue.storage_wait_s = 0.25;
  figures.queue.decode_wait_s = 0.125;
  figures.queue.memory_wait_s = 0.0625;
  figures.queue.device_wait_s = 0.03125;
  figures.queue.workers = {
      .read_s = 1, .decode_s = 2, .storage_wait_s = 3, .memory_wait_s = 4, .idle_s = 5};
  figures.fault_kinds[static_cast<std::size_t>(FaultKind::io)] = 7;
  return sight;
}

}  // namespace

TEST_CASE("a cache is exposed where there is one", "[metrics][cache]") {
  auto sight = sample_sight();
  CHECK(prometheus::TextSerializer().Serialize(sight.families()).find("weir_cache") ==
        std::string::npos);
  sight.figures.plan.cache.keep = Cache::encoded;
  sight.figures.cache = {.bytes = 1'000'000, .samples = 90, .hits = 60, .misses = 20, .evicted = 3};
  const auto metrics = exposed(sight);
  CHECK(metrics["weir_cache_draws_total{result=\"hit\"}"] == 60);
  CHECK(metrics["weir_cache_draws_total{result=\"miss\"}"] == 20);
  CHECK(metrics["weir_cache_evicted_total"] == 3);
  CHECK(metrics["weir_cache_samples"] == 90);
}

TEST_CASE("planes are exposed by name and by what rows show", "[metrics][planes]") {
  auto sight = sample_sight();
  CHECK(prometheus::TextSerializer().Serialize(sight.families()).find("weir_plane") ==
        std::string::npos);
  sight.figures.planes = {
      {.name = "mask", .ok = 9, .damaged = 1, .absent = 3, .broken = 2, .decode_s = 0.5},
      {.name = "depth", .ok = 15, .decode_s = 0.25}};
  Options options;
  options.planes = {{.name = "mask"}, {.name = "depth"}};
  options.annotation_bytes = 8;
  sight.figures.plan = resolve(options, 0);
  sight.now.slabs = {.images = {300, 100, 200}, .annotation = 8, .window = 80, .rest = 40};
  Ratchet ratchet;
  auto families = sight.families();
  ratchet.hold(families);
  const test::Exposition metrics(prometheus::TextSerializer().Serialize(families));
  CHECK(metrics["weir_plane_samples_total{plane=\"mask\",state=\"ok\"}"] == 9);
  CHECK(metrics["weir_plane_samples_total{plane=\"mask\",state=\"damaged\"}"] == 1);
  CHECK(metrics["weir_plane_samples_total{plane=\"mask\",state=\"absent\"}"] == 3);
  CHECK(metrics["weir_plane_samples_total{plane=\"mask\",state=\"broken\"}"] == 2);
  CHECK(metrics["weir_plane_samples_total{plane=\"depth\",state=\"ok\"}"] == 15);
  CHECK(metrics["weir_plane_samples_total{plane=\"depth\",state=\"absent\"}"] == 0);
  CHECK(metrics["weir_plane_decode_seconds_total{plane=\"mask\"}"] == 0.5);
  CHECK(metrics["weir_plane_decode_seconds_total{plane=\"depth\"}"] == 0.25);
  CHECK(metrics["weir_slab_bytes{column=\"image\"}"] == 300);
  CHECK(metrics["weir_slab_bytes{column=\"mask\"}"] == 100);
  CHECK(metrics["weir_slab_bytes{column=\"depth\"}"] == 200);
  CHECK(metrics["weir_slab_bytes{column=\"annotation\"}"] == 8);
  CHECK(metrics["weir_slab_bytes{column=\"window\"}"] == 80);
  CHECK(metrics["weir_slab_bytes{column=\"labels, indices and statuses\"}"] == 40);
}

TEST_CASE("every figure is exposed under its name, with its unit", "[metrics]") {
  const auto sight = sample_sight();
  const auto metrics = exposed(sight);
  CHECK(metrics["weir_queue_batches{state=\"filling\"}"] == 2);
  CHECK(metrics["weir_queue_batches{state=\"ready\"}"] == 8);
  CHECK(metrics["weir_queue_batches{state=\"leased\"}"] == 1);
  CHECK(metrics["weir_queue_batches_max"] == 10);
  CHECK(metrics["weir_workers"] == 6);
  CHECK(metrics["weir_reads_ahead"] == 5);
  CHECK(metrics["weir_batches_delivered_total"] == 11);
  CHECK(metrics["weir_consumer_wait_seconds_total"] == 0.5);
  CHECK(metrics["weir_consumer_wait_by_cause_seconds_total{cause=\"storage\"}"] == 0.25);
  CHECK(metrics["weir_consumer_wait_by_cause_seconds_total{cause=\"decode\"}"] == 0.125);
  CHECK(metrics["weir_consumer_wait_by_cause_seconds_total{cause=\"memory\"}"] == 0.0625);
  CHECK(metrics["weir_consumer_wait_by_cause_seconds_total{cause=\"device\"}"] == 0.03125);
  CHECK(metrics["weir_data_readiness_ratio"] == 0.9);
  CHECK(metrics["weir_samples_total{state=\"drawn\"}"] == 40);
  CHECK(metrics["weir_samples_total{state=\"consumed\"}"] == 20);
  CHECK(metrics["weir_samples_total{state=\"discarded\"}"] == 5);
  CHECK(metrics["weir_samples_total{state=\"dropped\"}"] == 6);
  CHECK(metrics["weir_samples_total{state=\"failed\"}"] == 3);
  CHECK(metrics["weir_samples_total{state=\"replaced\"}"] == 4);
  CHECK(metrics["weir_samples_total{state=\"omitted\"}"] == 9);
  CHECK(metrics["weir_samples_total{state=\"partners\"}"] == 21);
  CHECK(metrics["weir_samples_held{state=\"in_flight\"}"] == 1);
  CHECK(metrics["weir_samples_held{state=\"ready\"}"] == 2);
  CHECK(metrics["weir_samples_held{state=\"leased\"}"] == 3);
  const auto& decode = sight.figures.stages[1];
  CHECK(metrics["weir_stage_seconds_count{stage=\"read\"}"] == 2560);
  CHECK(metrics["weir_stage_seconds_sum{stage=\"decode\"}"] == 2.56);
  CHECK(metrics["weir_stage_seconds{stage=\"decode\",quantile=\"0.5\"}"] ==
        Approx(1e-6 * *decode.quantile_us(0.5)));
  CHECK(metrics["weir_stage_seconds{stage=\"decode\",quantile=\"0.99\"}"] ==
        Approx(1e-6 * *decode.quantile_us(0.99)));
  CHECK_FALSE(metrics.has("weir_stage_seconds{stage=\"read\",quantile=\"0.5\"}"));
  CHECK(metrics["weir_worker_seconds_total{state=\"read\"}"] == 1);
  CHECK(metrics["weir_worker_seconds_total{state=\"decode\"}"] == 2);
  CHECK(metrics["weir_worker_seconds_total{state=\"storage_wait\"}"] == 3);
  CHECK(metrics["weir_worker_seconds_total{state=\"memory_wait\"}"] == 4);
  CHECK(metrics["weir_worker_seconds_total{state=\"idle\"}"] == 5);
  CHECK(metrics["weir_faults_total{kind=\"io\"}"] == 7);
  CHECK(metrics["weir_faults_total{kind=\"truncated\"}"] == 0);
  CHECK(metrics["process_cpu_seconds_total"] == 3.5);
  CHECK(metrics["weir_build_info{version=\"0.1.0\"}"] == 1);
}

TEST_CASE("CPU time is exposed as far as the kernel knows it", "[metrics]") {
  auto sight = sample_sight();
  CHECK_FALSE(exposed(sight).has("weir_worker_cpu_seconds_total"));
  auto& cpu = sight.figures.queue.cpu;
  cpu = {.workers_s = 1.5, .cpus = 2};
  auto metrics = exposed(sight);
  CHECK(metrics["weir_worker_cpu_seconds_total"] == 1.5);
  CHECK(metrics["weir_cpus"] == 2);
  for (const auto* unknown :
       {"weir_worker_cpu_wait_seconds_total", "weir_cpu_limit", "weir_cpu_throttled_seconds_total",
        "weir_cpu_throttled_periods_total", "weir_cpu_steal_seconds_total"})
    CHECK_FALSE(metrics.has(unknown));
  cpu.wait_s = 3;
  cpu.limit = 0.5;
  cpu.throttle_s = 0.25;
  cpu.throttled_periods = 7;
  cpu.steal_s = 0;
  metrics = exposed(sight);
  CHECK(metrics["weir_worker_cpu_wait_seconds_total"] == 3);
  CHECK(metrics["weir_cpu_limit"] == 0.5);
  CHECK(metrics["weir_cpu_throttled_seconds_total"] == 0.25);
  CHECK(metrics["weir_cpu_throttled_periods_total"] == 7);
  CHECK(metrics.has("weir_cpu_steal_seconds_total"));
}

TEST_CASE("regime and readiness are left out where not known", "[metrics]") {
  auto sight = sample_sight();
  const auto all = [](const test::Exposition& metrics) {
    double sum = 0;
    for (const auto* regime : {"balanced", "storage", "decode", "consumer", "memory", "cpu"})
      sum += metrics["weir_regime{regime=\"" + std::string(regime) + "\"}"];
    return sum;
  };
  sight.figures.regime.reset();
  CHECK(all(exposed(sight)) == 0);
  sight.figures.regime = "storage";
  CHECK(all(exposed(sight)) == 1);
  CHECK(exposed(sight)["weir_regime{regime=\"storage\"}"] == 1);
  sight.figures.queue.batches = 0;
  CHECK_FALSE(exposed(sight).has("weir_data_readiness_ratio"));
}

TEST_CASE("a counter never goes back, a gauge may", "[metrics]") {
  auto sight = sample_sight();
  Ratchet ratchet;
  const auto scraped = [&] {
    auto families = sight.families();
    ratchet.hold(families);
    return test::Exposition(prometheus::TextSerializer().Serialize(families));
  };
  scraped();
  sight.figures.queue.workers.decode_s = 1.5;
  sight.figures.queue.workers.idle_s = 6;
  sight.figures.queue.data_readiness = 0.5;
  const auto later = scraped();
  CHECK(later["weir_worker_seconds_total{state=\"decode\"}"] == 2);
  CHECK(later["weir_worker_seconds_total{state=\"idle\"}"] == 6);
  CHECK(later["weir_data_readiness_ratio"] == 0.5);
}
