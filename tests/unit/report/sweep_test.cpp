#include "report/sweep.hpp"

#include <nlohmann/json.hpp>
#include <sstream>

#include "support/catch.hpp"
#include "support/text.hpp"

using namespace weir;
using report::Json;
using test::contains;

namespace {

/// The runs of a sweep in turns: for each round, the samples/s of each depth 1, 2, 4 …
Json swept(const std::vector<std::vector<double>>& rounds) {
  Json runs = Json::array();
  for (const auto& paces : rounds) {
    std::uint64_t depth = 1;
    for (const auto pace : paces) {
      runs.push_back({{"plan", {{"max_queue_size", depth}, {"max_queue_size_requested", depth}}},
                      {"throughput", {{"samples_per_s", pace}, {"seconds", 0.7}}},
                      {"error", nullptr}});
      depth *= 2;
    }
  }
  return runs;
}

std::string conclusion(const std::vector<std::vector<double>>& rounds) {
  return report::sweep_summary(swept(rounds))["conclusion"]["sentence"];
}

}  // namespace

TEST_CASE("a sweep sums up the runs of each depth", "[sweep]") {
  const auto summary = report::sweep_summary(swept({{100, 195}, {110, 205}, {105, 200}}));
  REQUIRE(summary["by_depth"].size() == 2);
  CHECK(summary["by_depth"][1] == Json{{"max_queue_size", 2},
                                       {"runs", 3},
                                       {"seconds", 0.7 + 0.7 + 0.7},
                                       {"samples_per_s", 200.0},
                                       {"least_samples_per_s", 195.0},
                                       {"most_samples_per_s", 205.0},
                                       {"slower", false},
                                       {"typical_run", 5}});
  CHECK(summary["by_depth"][0]["slower"] == true);
  CHECK(summary["conclusion"]["max_queue_size"] == 2);
  CHECK(summary["conclusion"]["sentence"] ==
        "max_queue_size 2 is enough: 200.0 samples/s (195.0 to 205.0). max_queue_size 1 is slower: "
        "105.0 samples/s (100.0 to 110.0).");
}

TEST_CASE("a sweep calls no depth better by noise, or by single runs", "[sweep]") {
  // The case of the demo: 171 against 158, with runs that differ by more.
  CHECK(conclusion({{158, 160, 171}, {170, 150, 155}, {150, 165, 160}}) ==
        "No difference beyond noise: every depth runs at 150.0 to 171.0 samples/s, and "
        "max_queue_size 1 takes the fewest bytes.");
  // No overlap, but less than 2 %.
  CHECK(contains(conclusion({{100, 101}, {100, 101}, {100, 101}}), "No difference beyond noise"));
  CHECK(contains(conclusion({{50, 99, 100}, {51, 101, 98}, {50, 97, 102}}),
                 "max_queue_size 2 is enough: 99.0 samples/s (97.0 to 101.0). No deeper queue is "
                 "faster beyond noise."));
  const auto single = report::sweep_summary(swept({{158, 171}, {150, 160}}));
  CHECK(single["conclusion"]["max_queue_size"].is_null());
  CHECK(single["by_depth"][0]["slower"].is_null());
  CHECK(contains(single["conclusion"]["sentence"].get<std::string>(), "there is no conclusion"));
  CHECK(conclusion({{100}, {101}, {102}}) ==
        "max_queue_size 1 runs at 101.0 samples/s (100.0 to 102.0).");
}

TEST_CASE("a sweep with a failed run has no conclusion", "[sweep]") {
  auto runs = swept({{1, 2}, {1, 2}, {1, 2}});
  runs[3]["error"] = "no image";
  CHECK(report::sweep_summary(runs)["conclusion"].is_null());
  CHECK(report::sweep_summary(Json::array())["by_depth"].empty());
}

TEST_CASE("a sweep has one line a depth, predicted beside measured", "[sweep]") {
  auto runs = report::Json::parse(R"([{
    "plan": {"max_queue_size_requested": 2, "columns": [
      {"name": "image", "row_bytes": 150528}, {"name": "mask", "row_bytes": 50176}]},
    "planes": [],
    "predicted": {"staging_bytes": 3145728, "float32_bytes": 12582912, "samples_per_s": null,
                  "peak_staging_bytes": null},
    "memory": {"staging": 3145728, "peak": 5242880,
               "process": {"rss_before": 1048576, "rss_peak": 5767168}},
    "throughput": {"samples_per_s": 640.04, "seconds": 2},
    "queue": {"consumer_wait_s": 0.5, "data_readiness": 0.125},
    "samples": {"drawn": 2400, "consumed": 2400},
    "error": null}])");
  auto& run = runs[0];
  const auto text = [&] { return report::sweep_text(runs, report::sweep_summary(runs)); };
  CHECK(text().starts_with(
      "Memory in MiB and throughput, measured, by queue depth\n"
      "queue  limit  measured  float32  peak  RSS+   off  samples/s  least   most  runs    "
      "waited   ready\n"
      "    2   3.00      3.00    12.00  5.00   4.5  -0.5      640.0  640.0  640.0     1  "
      "500.0 ms  12.5 %\n"));
  CHECK_FALSE(contains(text(), "the queue was never full"));
  run["memory"]["staging"] = 2 << 20;
  CHECK(contains(text(), "the queue was never full"));
  run["error"] = "a sample failed";
  CHECK(contains(text(), "max_queue_size 2: a sample failed"));
  CHECK_FALSE(contains(text(), "samples/s predicted"));
  run["predicted"].update({{"samples_per_s", 800},
                           {"data_readiness", 0.5},
                           {"consumer_wait", 0.125},
                           {"peak_staging_bytes", 5 << 19}});
  run["predicted_off"] = {{"samples_per_s", -0.19995}, {"peak_staging_bytes", -0.2}};
  CHECK(contains(
      text(),
      "queue  samples/s predicted  measured      off  ready predicted  measured  waited "
      "predicted  measured\n"
      "    2                800.0     640.0  -20.0 %           50.0 %    12.5 %            "
      "12.5 %    25.0 %\n"));
  CHECK(contains(text(),
                 "queue  MiB of slabs: limit  peak: predicted  measured      off\n"
                 "    2                 3.00             2.50      2.00  -20.0 %\n"));
  CHECK_FALSE(contains(text(), "A row:"));
  run["planes"] = {{{"name", "mask"},
                    {"ok", 8},
                    {"damaged", 0},
                    {"absent", 2},
                    {"broken", 0},
                    {"decode_s", 0.016}}};
  runs.push_back(runs[0]);
  CHECK(contains(text(),
                 "\nA row: image 147.00 KiB, mask 49.00 KiB\n\n"
                 "Planes  ok  damaged  absent  broken  decoding    each\n"
                 "  mask  16        0       4       0   32.0 ms  2.0 ms\n"));
  std::istringstream lines(text());
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 100);
}
