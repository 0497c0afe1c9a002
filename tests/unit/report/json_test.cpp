#include "report/json.hpp"
#include "report/text.hpp"

#include <nlohmann/json.hpp>

#include "sample_run.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"

using namespace weir;
using report::Json;

namespace {

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> names;
  for (const auto& [key, value] : object.items()) names.push_back(key);
  return names;
}

using Keys = std::vector<std::string>;

}  // namespace

TEST_CASE("an empty envelope has every key in order, with null or empty", "[json]") {
  const auto json = report::envelope("plan");
  CHECK(keys(json) ==
        Keys{"schema",    "version",    "command",     "plan",    "memory",
             "samples",   "queue",      "throughput",  "stages",  "regime",
             "faults",    "digest",     "fault_count", "error",   "interrupted",
             "timeline",  "regime_why", "stats_cost",  "setting", "moves",
             "stalls",    "sizes",      "cache",       "planes",  "timeline_interval_s",
             "trace_lost"});
  CHECK(json["schema"] == 2);
  CHECK(json["version"] == "0.1.0");
  CHECK(json["command"] == "plan");
  CHECK(json["memory"].is_null());
  CHECK(json["faults"] == Json::array());
}

TEST_CASE("a run fills the envelope with the schema's keys in order", "[json]") {
  auto json = report::run_report("run", test::sample_run());
  CHECK(keys(json) == keys(report::envelope("run")));
  CHECK(keys(json["plan"]) == Keys{"batch",
                                   "workers",
                                   "read_ahead",
                                   "max_queue_size",
                                   "max_queue_size_requested",
                                   "max_leases",
                                   "slabs",
                                   "slab_bytes",
                                   "max_sample_bytes",
                                   "floor_bytes",
                                   "budget_bytes",
                                   "ceiling_bytes",
                                   "data_ceiling_bytes",
                                   "index_bytes",
                                   "trace_bytes",
                                   "shape",
                                   "size",
                                   "annotation_bytes",
                                   "transform_bytes",
                                   "max_queue_bytes",
                                   "pinned",
                                   "ranks",
                                   "order",
                                   "partners",
                                   "counted",
                                   "tuned",
                                   "epoch",
                                   "columns",
                                   "budget_how",
                                   "sample_how",
                                   "options"});
  CHECK(keys(json["memory"]) == Keys{"live", "peak", "accounts", "at_peak", "process", "staging",
                                     "slabs", "postings", "books_cost", "pinned",
                                     "slab_memory_note"});
  const Keys accounts{"index", "encoded", "scratch", "filling", "ready", "leased", "idle", "cache"};
  CHECK(keys(json["memory"]["accounts"]) == accounts);
  CHECK(keys(json["memory"]["at_peak"]) == accounts);
  CHECK(keys(json["memory"]["process"]) == Keys{"rss_before", "rss_peak", "pss_before", "pss_peak",
                                                "unaccounted", "rss_after", "pss_after", "growth",
                                                "parts"});
  CHECK(keys(json["samples"]) == Keys{"drawn", "in_flight", "ready", "leased", "consumed",
                                      "discarded", "dropped", "failed", "replaced", "conserved",
                                      "omitted", "partners", "unused"});
  CHECK(keys(json["queue"]) == Keys{"occupancy", "consumer_wait_s", "producer_wait_s",
                                    "data_readiness", "seconds", "storage_wait_s", "decode_wait_s",
                                    "memory_wait_s", "device_wait_s", "batches", "workers",
                                    "consumer", "cpu"});
  CHECK(json["queue"]["cpu"].is_null());
  CHECK(keys(json["queue"]["workers"]) ==
        Keys{"read_s", "decode_s", "storage_wait_s", "memory_wait_s", "idle_s"});
  CHECK(keys(json["queue"]["consumer"]) == Keys{"count", "mean_s", "deviation_s"});
  CHECK(keys(json["stats_cost"]) ==
        Keys{"readings_per_sample", "ns_per_reading", "ns_per_sample", "share_of_cpu"});
  CHECK(keys(json["throughput"]) == Keys{"seconds", "samples_per_s", "first_batch_s"});
  CHECK(keys(json["stages"][0]) ==
        Keys{"name", "count", "busy_s", "p50_us", "p99_us", "p90_us", "bytes", "mean_us"});
}

TEST_CASE("a run's figures are written as they are, bytes as integers", "[json]") {
  const auto run = test::sample_run();
  auto json = report::run_report("run", run);
  CHECK(json["plan"]["slabs"] == 11);
  CHECK(json["plan"]["slab_bytes"] == run.figures.plan.slab_bytes);
  CHECK(json["memory"]["peak"] == run.figures.memory.peak);
  CHECK(json["memory"]["staging"] == 11 * run.figures.plan.slab_bytes);
  CHECK(json["memory"]["process"]["unaccounted"] == report::unaccounted(run));
  CHECK(json["memory"]["process"]["unaccounted"].is_number_integer());
  CHECK(json["samples"]["drawn"] == 2560);
  CHECK(json["samples"]["conserved"] == true);
  CHECK(json["samples"]["unused"] == 1280);
  const auto& image = json["plan"]["columns"][0];
  CHECK(image["slot_bytes"] == image["row_bytes"].get<std::uint64_t>() * run.figures.plan.batch);
  CHECK(json["stages"][0]["name"] == "read");
  CHECK(json["stages"][0]["p50_us"].is_null());
  CHECK(json["stages"][1]["p99_us"] == *run.figures.stages[1].quantile_us(0.99));
  CHECK(json["stages"][1]["p90_us"] == *run.figures.stages[1].quantile_us(0.9));
  CHECK(json["stages"][1]["mean_us"] == 1000.0);
  CHECK(json["stages"][0]["bytes"] == 10 << 20);
  CHECK(json["stages"][2]["mean_us"].is_null());
  CHECK(json["regime"].is_null());
  CHECK(json["digest"].is_null());
}

TEST_CASE("each clock figure of the queue is written under its own name", "[json]") {
  auto run = test::sample_run();
  auto& queue = run.figures.queue;
  queue.seconds = 1;
  queue.storage_wait_s = 2;
  queue.decode_wait_s = 3;
  queue.memory_wait_s = 4;
  queue.device_wait_s = 4.5;
  queue.batches = 5;
  queue.workers = {
      .read_s = 6, .decode_s = 7, .storage_wait_s = 8, .memory_wait_s = 9, .idle_s = 10};
  queue.consumer = {.count = 2, .sum_s = 6, .squares_s2 = 20};
  run.figures.readings = 25'600;
  run.reading_ns = 50;
  run.cpu_s = 2.56;
  auto json = report::run_report("run", run);
  queue.batches = 0;
  auto without = report::run_report("run", run);
  CHECK(without["queue"]["data_readiness"].is_null());
  CHECK(
      json["queue"].dump() ==
      R"({"occupancy":[0.25,0.5,0.25],"consumer_wait_s":0.5,"producer_wait_s":1.25,)"
      R"("data_readiness":0.9,"seconds":1.0,"storage_wait_s":2.0,"decode_wait_s":3.0,)"
      R"("memory_wait_s":4.0,"device_wait_s":4.5,"batches":5,"workers":{"read_s":6.0,"decode_s":7.0,"storage_wait_s":8.0,)"
      R"("memory_wait_s":9.0,"idle_s":10.0},"consumer":{"count":2,"mean_s":3.0,"deviation_s":1.0},"cpu":null})");
  CHECK(json["stats_cost"]["readings_per_sample"] == 10.0);
  CHECK(json["stats_cost"]["ns_per_reading"] == 50.0);
  CHECK(json["stats_cost"]["ns_per_sample"] == 500.0);
  CHECK(json["stats_cost"]["share_of_cpu"].get<double>() == test::Approx(5e-4));
}

TEST_CASE("the queue has the workers' CPU time, or null if unknown", "[json]") {
  auto run = test::sample_run();
  auto& cpu = run.figures.queue.cpu;
  cpu = {.workers_s = 1.5, .process_s = 2, .cpus = 4};
  auto json = report::run_report("run", run);
  CHECK(json["queue"]["cpu"].dump() ==
        R"({"cpus":4,"limit":null,"workers_s":1.5,"wait_s":null,"process_s":2.0,)"
        R"("throttle_s":null,"throttled_periods":null,"steal_s":null})");
  cpu.wait_s = 3;
  cpu.throttle_s = 0.5;
  cpu.throttled_periods = 7;
  cpu.steal_s = 0;
  cpu.limit = 0.25;
  json = report::run_report("run", run);
  CHECK(json["queue"]["cpu"].dump() ==
        R"({"cpus":4,"limit":0.25,"workers_s":1.5,"wait_s":3.0,"process_s":2.0,)"
        R"("throttle_s":0.5,"throttled_periods":7,"steal_s":0.0})");
}

TEST_CASE("regime, digest and error appear where there is one", "[json]") {
  auto run = test::sample_run();
  run.figures.regime = "decode";
  run.digest = "abc";
  run.error = "it broke";
  run.interrupted = true;
  auto json = report::run_report("run", run);
  CHECK(json["regime"] == "decode");
  CHECK(json["regime_why"] == judge(run.figures.queue).why);
  CHECK(json["digest"] == "abc");
  CHECK(json["error"] == "it broke");
  CHECK(json["interrupted"] == true);
}

TEST_CASE("faults are listed with the count of them all", "[json]") {
  auto json = report::envelope("probe");
  const std::vector<Fault> faults{test::sample_fault(7)};
  report::put_faults(json, faults, 9);
  CHECK(
      json["faults"][0].dump() ==
      R"({"index":7,"path":"dir/7.jpg","stage":"decode","kind":"truncated","reason":"no EOI","epoch":1,"offset":812,"plane":null})");
  CHECK(json["fault_count"] == 9);
}

TEST_CASE("a missing bound is null, and the largest bound is preserved", "[json]") {
  const auto budget_of = [](std::optional<std::uint64_t> bytes) {
    Plan plan;
    plan.budget_bytes = plan.max_queue_bytes = bytes;
    plan.ceiling_bytes = bytes.value_or(UINT64_MAX);
    auto json = report::envelope("plan");
    report::put_plan(json, plan);
    return Json::parse(report::write(json))["plan"];
  };
  for (const auto* key : {"budget_bytes", "ceiling_bytes", "max_queue_bytes"}) {
    CHECK(budget_of({})[key].is_null());
    CHECK(budget_of(UINT64_MAX - 1)[key].get<std::uint64_t>() == UINT64_MAX - 1);
  }
}

TEST_CASE("bytes that are not UTF-8 cannot break the document", "[json]") {
  Json json = report::head("run");
  json["path"] =
      "a\xff"
      "b";
  CHECK(Json::parse(report::write(json))["path"] ==
        "a\xEF\xBF\xBD"
        "b");
}

TEST_CASE("a plan and a run show their planes", "[json][text][planes]") {
  auto run = test::sample_run();
  run.figures.plan.planes = {{.name = "mask"}, {.name = "depth", .pixels = PixelFormat::grey16}};
  run.figures.planes = {{.name = "mask", .ok = 5, .absent = 2, .broken = 1}, {.name = "depth"}};
  auto broken = test::sample_fault(3);
  broken.plane = "mask";
  run.figures.faults = {broken};
  auto json = report::run_report("run", run);
  std::vector<std::uint64_t> bytes;
  for (const auto& column : json["plan"]["columns"]) bytes.push_back(column["row_bytes"]);
  CHECK(bytes == std::vector<std::uint64_t>{150'528, 50'176, 100'352, 80, 8 + 8 + 1 + 2});
  CHECK(json["plan"]["columns"][1]["shape"] == Json{224, 224, 1});
  CHECK(json["planes"][0].dump() ==
        R"({"name":"mask","ok":5,"damaged":0,"absent":2,"broken":1,"decodes":0,"decode_s":0.0})");
  CHECK(json["faults"][0]["plane"] == "mask");
  const auto text = report::run_text(run);
  CHECK(test::contains(text, "image 147.00 KiB (rgb8, 224x224), mask 49.00 KiB"));
  CHECK(test::contains(text, "\n  mask    5        0       2       1\n"));
  CHECK(test::contains(text, "\n  broken: dir/3.jpg: truncated"));
  CHECK_FALSE(test::contains(text, "Faults:"));
  // Partners are decoded, too.
  run.figures.planes[0].decodes = 20;
  run.figures.planes[0].decode_s = 0.04;
  const auto timed = report::planes_text(run.figures.planes, {});
  CHECK(timed ==
        "Planes   ok  damaged  absent  broken  decoding    each\n"
        "  mask    5        0       2       1   40.0 ms  2.0 ms\n"
        "  depth   0        0       0       0         -       -\n");
  // More than the rows show: partners fail, too.
  run.figures.faults.resize(7, broken);
  CHECK(report::planes_text(run.figures.planes, run.figures.faults)
            .ends_with("\n  ... and 2 more in the JSON\n"));
  CHECK(report::planes_text(run.figures.planes, run.figures.faults, 3)
            .ends_with(
                "\nThe table counts rows by their own samples; the list has partners, too.\n"));
}

TEST_CASE("rows with annotations are shown without planes, too", "[text]") {
  auto figures = test::sample_run().figures;
  CHECK(report::columns_text(figures).empty());
  figures.plan.annotation_bytes = 100;
  CHECK(report::columns_text(figures) == report::row_text(figures.plan));
  CHECK(test::contains(report::columns_text(figures), ", annotation 100 B, "));
}

TEST_CASE("encoded rows have no shape and no bytes as floats", "[json]") {
  auto plan = test::sample_run().figures.plan;
  CHECK(report::to_json(plan)["shape"] == Json{224, 224, 3});
  CHECK(report::depth_json(plan, 1)["float32_bytes"].is_number());
  plan.pixels = PixelFormat::stored8;
  CHECK(report::depth_json(plan, 1)["float32_bytes"].is_null());
  plan.pixels = PixelFormat::rgb8;
  plan.decode = Decode::none;
  plan.sizes.mode = Sizes::ragged;
  CHECK(report::to_json(plan)["shape"].is_null());
  CHECK(report::depth_json(plan, 1)["float16_bytes"].is_null());
}
