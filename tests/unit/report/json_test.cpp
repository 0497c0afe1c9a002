#include "report/json.hpp"

#include <nlohmann/json.hpp>

#include "sample_run.hpp"
#include "support/catch.hpp"

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

TEST_CASE("an empty envelope has every key in its order, and null for what is not known",
          "[json]") {
  const auto json = report::envelope("plan");
  CHECK(keys(json) == Keys{"schema", "version", "command", "plan", "memory", "samples", "queue",
                           "throughput", "stages", "regime", "faults", "digest", "fault_count",
                           "error", "interrupted", "timeline"});
  CHECK(json["schema"] == 1);
  CHECK(json["version"] == "0.1.0");
  CHECK(json["command"] == "plan");
  CHECK(json["memory"].is_null());
  CHECK(json["faults"] == Json::array());
}

TEST_CASE("a run fills the envelope with the keys of the schema, in order", "[json]") {
  auto json = report::envelope("run");
  report::put_run(json, test::sample_run());
  CHECK(keys(json) == keys(report::envelope("run")));
  CHECK(keys(json["plan"]) == Keys{"batch", "workers", "read_ahead", "max_queue_size",
                                   "max_queue_size_asked", "max_leases", "slabs", "slab_bytes",
                                   "max_sample_bytes", "floor_bytes", "budget_bytes",
                                   "ceiling_bytes", "index_bytes", "shape", "budget_how"});
  CHECK(keys(json["memory"]) == Keys{"live", "peak", "accounts", "at_peak", "process", "staging",
                                     "postings", "books_cost", "slab_memory_note"});
  const Keys accounts{"index", "encoded", "scratch", "filling", "ready", "leased", "idle", "cache"};
  CHECK(keys(json["memory"]["accounts"]) == accounts);
  CHECK(keys(json["memory"]["at_peak"]) == accounts);
  CHECK(keys(json["memory"]["process"]) == Keys{"rss_before", "rss_peak", "pss_before", "pss_peak",
                                                "unaccounted", "rss_after", "pss_after", "growth"});
  CHECK(keys(json["samples"]) == Keys{"drawn", "in_flight", "ready", "leased", "consumed",
                                      "discarded", "dropped", "failed", "replaced", "conserved",
                                      "omitted"});
  CHECK(keys(json["queue"]) ==
        Keys{"occupancy", "consumer_wait_s", "producer_wait_s", "data_readiness"});
  CHECK(keys(json["throughput"]) == Keys{"seconds", "samples_per_s", "first_batch_s"});
  CHECK(keys(json["stages"][0]) == Keys{"name", "count", "busy_s", "p50_us", "p99_us"});
}

TEST_CASE("a run's figures are written as they are, bytes as integers", "[json]") {
  const auto run = test::sample_run();
  auto json = report::envelope("run");
  report::put_run(json, run);
  CHECK(json["plan"]["slabs"] == 11);
  CHECK(json["plan"]["slab_bytes"] == run.figures.plan.slab_bytes);
  CHECK(json["memory"]["peak"] == run.figures.memory.peak);
  CHECK(json["memory"]["staging"] == 11 * run.figures.plan.slab_bytes);
  CHECK(json["memory"]["process"]["unaccounted"] == report::unaccounted(run));
  CHECK(json["memory"]["process"]["unaccounted"].is_number_integer());
  CHECK(json["samples"]["drawn"] == 2560);
  CHECK(json["samples"]["conserved"] == true);
  CHECK(json["stages"][0]["name"] == "read");
  CHECK(json["stages"][0]["p50_us"].is_null());
  CHECK(json["stages"][1]["p99_us"] == 4000.0);
  CHECK(json["regime"].is_null());
  CHECK(json["digest"].is_null());
}

TEST_CASE("regime, digest and error appear where there is one", "[json]") {
  auto run = test::sample_run();
  run.figures.regime = "decode";
  run.digest = "abc";
  run.error = "it broke";
  run.interrupted = true;
  auto json = report::envelope("run");
  report::put_run(json, run);
  CHECK(json["regime"] == "decode");
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
      R"({"index":7,"path":"dir/7.jpg","stage":"decode","kind":"truncated","reason":"no EOI","epoch":1,"offset":812})");
  CHECK(json["fault_count"] == 9);
}

TEST_CASE("the largest number of bytes survives the round trip", "[json]") {
  Plan plan;
  plan.budget_bytes = UINT64_MAX;
  auto json = report::envelope("plan");
  report::put_plan(json, plan);
  const auto again = Json::parse(report::write(json));
  CHECK(again["plan"]["budget_bytes"].get<std::uint64_t>() == UINT64_MAX);
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
