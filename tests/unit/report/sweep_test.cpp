#include "report/sweep.hpp"

#include <nlohmann/json.hpp>
#include <sstream>

#include "report/table.hpp"
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

Json concluded(const std::vector<std::vector<double>>& rounds) {
  return report::sweep_summary(swept(rounds));
}

/// The mark of each depth.
std::vector<Json> marks(const Json& summary) {
  std::vector<Json> found;
  for (const auto& depth : summary["by_depth"]) found.push_back(depth["mark"]);
  return found;
}

}  // namespace

TEST_CASE("a sweep sums up the runs of each depth", "[sweep]") {
  const auto summary = concluded({{100, 195}, {110, 205}, {105, 200}});
  REQUIRE(summary["by_depth"].size() == 2);
  CHECK(summary["by_depth"][1] == Json{{"max_queue_size", 2},
                                       {"runs", 3},
                                       {"seconds", 0.7 + 0.7 + 0.7},
                                       {"samples_per_s", 200.0},
                                       {"least_samples_per_s", 195.0},
                                       {"most_samples_per_s", 205.0},
                                       {"slower", false},
                                       {"mark", "fastest"},
                                       {"typical_run", 5}});
  CHECK(summary["by_depth"][0]["slower"] == true);
  CHECK(summary["by_depth"][0]["mark"] == "slower than 2");
  CHECK(
      summary["conclusion"] ==
      Json{{"max_queue_size", 2},
           {"spread", 205.0 / 195},
           {"rounds", nullptr},
           {"sentence",
            "max_queue_size 2 is the fastest: every smaller queue is slower, and a deeper one was "
            "not tried."}});
}

TEST_CASE("depths whose ranges overlap are not different", "[sweep]") {
  // The medians are 160, 165 and 155.
  auto summary = concluded({{158, 165, 155}, {170, 150, 160}, {160, 170, 150}});
  CHECK(summary["conclusion"]["max_queue_size"] == 1);
  CHECK(summary["conclusion"]["sentence"] ==
        "max_queue_size 1 is enough: no deeper queue is faster beyond noise.");
  CHECK(marks(summary) == std::vector<Json>{"enough", nullptr, nullptr});
  // No overlap, but less than 2 %.
  CHECK(marks(concluded({{100, 101}, {100, 101}, {100, 101}})) ==
        std::vector<Json>{"enough", nullptr});
  // 1 overlaps with 2 and is slower than 4: its mark names 4.
  summary = concluded({{850, 847, 888}, {872, 883, 905}, {886, 889, 910}});
  CHECK(summary["conclusion"]["max_queue_size"] == 2);
  CHECK(summary["conclusion"]["sentence"] ==
        "max_queue_size 2 is enough: no deeper queue is faster beyond noise.");
  CHECK(marks(summary) == std::vector<Json>{"slower than 4", "enough", nullptr});
  CHECK(concluded({{100}, {101}, {102}})["conclusion"]["sentence"] ==
        "max_queue_size 1 runs at 101.0 samples/s.");
}

TEST_CASE("a spread that hides differences is too noisy to tell", "[sweep]") {
  auto summary = concluded({{238, 893, 400}, {300, 500, 700}, {893, 310, 600}});
  CHECK(summary["conclusion"]["sentence"] ==
        "Too noisy to tell (spread 3.8 ×): repeat with --rounds 10.");
  CHECK(summary["conclusion"]["max_queue_size"].is_null());
  CHECK(summary["conclusion"]["rounds"] == 10);
  for (const auto& depth : summary["by_depth"]) {
    CHECK(depth["mark"].is_null());
    CHECK(depth["slower"].is_null());
  }
  // A depth that is slower in every run is no noise.
  summary = concluded({{100, 200, 201}, {140, 202, 203}, {120, 204, 205}});
  CHECK(summary["conclusion"]["max_queue_size"] == 2);
  // Single slow runs do not count if there are many.
  std::vector<std::vector<double>> rounds(10, {100, 101});
  rounds[3] = rounds[7] = {40, 30};
  CHECK(concluded(rounds)["conclusion"]["max_queue_size"] == 1);
  rounds[4] = rounds[5] = {50, 60};
  CHECK(concluded(rounds)["conclusion"]["rounds"] == 20);
}

TEST_CASE("single runs of a depth have no noise, so no depth is named", "[sweep]") {
  const auto single = concluded({{158, 171}, {150, 160}});
  CHECK(single["conclusion"]["max_queue_size"].is_null());
  CHECK(single["conclusion"]["rounds"].is_null());
  CHECK(single["by_depth"][0]["slower"].is_null());
  CHECK(contains(single["conclusion"]["sentence"].get<std::string>(), "there is no conclusion"));
}

TEST_CASE("a sweep with a failed run has no conclusion", "[sweep]") {
  auto runs = swept({{1, 2}, {1, 2}, {1, 2}});
  runs[3]["error"] = "no image";
  CHECK(report::sweep_summary(runs)["conclusion"].is_null());
  CHECK(report::sweep_summary(Json::array())["by_depth"].empty());
}

TEST_CASE("a sweep has one line a depth, predicted beside measured", "[sweep]") {
  auto runs = report::Json::parse(R"([{
    "plan": {"max_queue_size": 2, "max_queue_size_requested": 2, "max_queue_bytes": null,
             "slab_bytes": 1048576, "columns": [
      {"name": "image", "row_bytes": 150528}, {"name": "mask", "row_bytes": 50176}]},
    "planes": [],
    "predicted": {"staging_bytes": 3145728, "float32_bytes": 12582912, "samples_per_s": null,
                  "peak_staging_bytes": null},
    "memory": {"staging": 3145728, "peak": 5242880,
               "process": {"rss_before": 1048576, "rss_peak": 5767168}},
    "throughput": {"samples_per_s": 640.04, "seconds": 2},
    "queue": {"consumer_wait_s": 0.5, "data_readiness": 0.125},
    "samples": {"drawn": 2528, "consumed": 2400, "unused": 128},
    "digest": null, "error": null}])");
  auto& run = runs[0];
  const auto text = [&] { return report::sweep_text(runs, report::sweep_summary(runs)); };
  CHECK(
      text().starts_with("Throughput, measured, by queue depth\n"
                         "queue  samples/s  least   most  runs\n"
                         "    2      640.0  640.0  640.0     1\n"));
  CHECK(contains(text(),
                 "\nSamples and waits, of the run closest to the median\n"
                 "queue  drawn  consumed  never used    waited   ready\n"
                 "    2  2,528     2,400         128  500.0 ms  12.5 %\n"));
  CHECK(contains(text(),
                 "queue  limit  measured  float32  peak    RSS    off\n"
                 "    2   3.00      3.00    12.00  5.00  +4.50  -0.50\n"));
  auto nothing = runs;
  nothing[0]["queue"]["data_readiness"] = nullptr;
  CHECK(contains(report::sweep_text(nothing, report::sweep_summary(nothing)),
                 "    2  2,528     2,400         128  500.0 ms      -\n"));
  run["plan"]["partners"] = 3;
  run["plan"]["counted"] = "rows";
  run["samples"]["partners"] = 7584;
  CHECK(contains(text(),
                 "\nRows and waits, of the run closest to the median\n"
                 "queue  drawn  consumed  never used  partners    waited   ready\n"
                 "    2  2,528     2,400         128     7,584  500.0 ms  12.5 %\n"
                 "drawn, consumed: rows of 4 samples; partners: the others of these\n"
                 "samples/s: a row of 4 samples counts once\n"));
  run["plan"].erase("partners");
  run["plan"].erase("counted");
  run["predicted"]["peak_staging_bytes"] = 2097152;
  CHECK(contains(text(),
                 "queue  limit  predicted  measured  float32  peak    RSS    off\n"
                 "    2   3.00       2.00      3.00    12.00  5.00  +4.50  -0.50\n"));
  CHECK_FALSE(contains(text(), "measured below the limit"));
  run["memory"]["staging"] = 2 << 20;
  CHECK(contains(text(), "measured below the limit"));
  run["error"] = "a sample failed";
  CHECK(contains(text(), "max_queue_size 2: a sample failed"));
  CHECK_FALSE(contains(text(), "Measured beside predicted"));
  run["predicted"].update({{"samples_per_s", 800},
                           {"data_readiness", 0.5},
                           {"consumer_wait", 0.125},
                           {"peak_staging_bytes", 5 << 19}});
  run["predicted_off"] = {{"samples_per_s", -0.19995}, {"peak_staging_bytes", -0.2}};
  CHECK(contains(text(),
                 "queue  samples/s  predicted      off   ready  predicted  waited  predicted\n"
                 "    2      640.0      800.0  -20.0 %  12.5 %     50.0 %  25.0 %     12.5 %\n"));
  CHECK(contains(text(), "    2   3.00       2.50      2.00    12.00"));
  CHECK_FALSE(contains(text(), "A row:"));
  run["plan"]["annotation_bytes"] = 80;
  CHECK(text().ends_with("\nA row: image 147.00 KiB, mask 49.00 KiB\n"));
  // Encoded samples.
  auto encoded = runs;
  encoded[0]["predicted"]["float32_bytes"] = nullptr;
  const auto without = report::sweep_text(encoded, report::sweep_summary(encoded));
  CHECK(contains(without, "queue  limit  predicted  measured  peak    RSS    off\n"));
  CHECK_FALSE(contains(without, "float32"));
  run["planes"] = {{{"name", "mask"},
                    {"ok", 8},
                    {"damaged", 0},
                    {"absent", 2},
                    {"broken", 0},
                    {"decodes", 32},
                    {"decode_s", 0.064}}};
  runs.push_back(runs[0]);
  CHECK(contains(text(),
                 "\nA row: image 147.00 KiB, mask 49.00 KiB\n\n"
                 "Planes  ok  damaged  absent  broken  decoding    each\n"
                 "  mask  16        0       4       0  128.0 ms  2.0 ms\n"));
  std::istringstream lines(report::wrapped(text()));
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
  // The table has the mark of the decision.
  runs[0]["error"] = nullptr;
  const auto one = runs[0];
  auto other = one;
  for (const auto* key : {"max_queue_size", "max_queue_size_requested"}) other["plan"][key] = 4;
  runs = {one, one, one, other, other, other};
  CHECK(contains(text(), "640.0     3  <- enough\n"));
  CHECK_FALSE(contains(text(), "Digest"));
  for (auto& each : runs) each["digest"] = "ab";
  CHECK(text().ends_with("\nDigest ab\n"));
  runs[3]["digest"] = "cd";
  CHECK(text().ends_with("\nDigest of max_queue_size 2: ab\n\nDigest of max_queue_size 4: cd\n"));
  // The depths are those that ran, not the requested ones.
  for (auto& each : runs)
    each["plan"].update({{"max_queue_size", 2}, {"max_queue_size_requested", 4}});
  CHECK(contains(text(), "    2      640.0  640.0  640.0     6\n"));
  CHECK(contains(text(), "\n`memory.budget_bytes` allows max_queue_size 2, not 4.\n"));
  for (auto& each : runs) each["plan"]["max_queue_bytes"] = 5 << 19;
  CHECK(contains(text(), "\n`queue.max_bytes` allows max_queue_size 2, not 4.\n"));
}
