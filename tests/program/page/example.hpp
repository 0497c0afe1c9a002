#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "browser.hpp"
#include "program.hpp"
#include "report/page/page.hpp"
#include "support/catch.hpp"

namespace weir::test {

inline nlohmann::ordered_json read_example(const char* name) {
  return nlohmann::ordered_json::parse(read_file(std::filesystem::path(WEIR_PAGE_TESTS) / name));
}

/// A sweep with a value for every field of a report, and a file with a hostile name.
inline nlohmann::json example_sweep() { return read_example("example-sweep.json"); }

inline nlohmann::json example_depths(const nlohmann::json& plan, bool predicted) {
  auto depths = nlohmann::json::array();
  const auto slab = plan["slab_bytes"].get<std::uint64_t>();
  for (const std::uint64_t depth : {1u, 2u, 3u, 4u, 8u}) {
    const auto u8 = (depth + 1) * slab, slabs = std::min<std::uint64_t>(depth, 4) + 1;
    const auto deep = static_cast<double>(depth);
    auto& one = depths.emplace_back(nlohmann::json{{"max_queue_size", depth},
                                                   {"staging_bytes", u8},
                                                   {"float16_bytes", 2 * u8},
                                                   {"float32_bytes", 4 * u8},
                                                   {"samples_ahead", 32 * (depth + 1)}});
    if (!predicted) continue;
    one["predicted"] = {{"max_queue_size", depth},
                        {"workers", 2},
                        {"read_ahead", 0},
                        {"batch", 32},
                        {"samples_per_s", 400.5 + 10 * deep},
                        {"consumer_wait", 0.2 / deep},
                        {"data_readiness", 1 - 0.1 / deep},
                        {"slabs", slabs},
                        {"staging_bytes", u8},
                        {"peak_staging_bytes", slabs * slab},
                        {"total_bytes", u8 + (2u << 20)},
                        {"regime", depth > 2 ? "consumer" : "balanced"}};
  }
  return depths;
}

/// Controls with two values each. The budget does not hold the last setting.
inline nlohmann::json example_grid() {
  nlohmann::json grid{
      {"max_queue_size", {1, 4}},   {"workers", {1, 2}}, {"read_ahead", {0, 27}},
      {"consumer_s", {0.03, 0.06}}, {"now", 13},         {"points", nlohmann::json::array()}};
  for (int i = 0; i < 15; ++i)
    grid["points"].push_back({{"samples_per_s", 86.5 + i},
                              {"consumer_wait", 0.87 - 0.01 * i},
                              {"data_readiness", 0.05},
                              {"total_bytes", 25'240'384 + i * 1'000'000},
                              {"regime", "storage"}});
  grid["points"].push_back(nullptr);
  return grid;
}

/// Slow reads, measured with more read-ahead than requested, so decoding is the slowest stage.
inline nlohmann::json example_tune() {
  auto tune = example_sweep();
  tune["command"] = "tune";
  auto run = tune["runs"][0];
  run.erase("predicted");
  run.erase("predicted_off");
  run["plan"]["read_ahead"] = 16;
  tune["runs"] = nlohmann::json::array({run});
  tune["regime"] = "storage";
  tune["regime_why"] = "with read_ahead 0 the consumer would wait 80.0 % of the time";
  tune["depths"] = example_depths(run["plan"], true);
  for (const auto* key : {"by_depth", "conclusion", "limit"}) tune.erase(key);
  tune["advice"] = read_example("example-advice.json");
  tune["verdict"] = tune["advice"]["verdict"]["sentence"];
  tune["next"] = "weir run photos --consumer-ms 60 --read-ahead 27";
  tune["grid"] = example_grid();
  return tune;
}

/// `predicted`: with the predictions for its depths.
inline nlohmann::json example_run(bool predicted = false) {
  auto run = example_sweep()["runs"][1];
  run.erase("predicted");
  run.erase("predicted_off");
  run["data"] = "photos";
  run["consumer_ms"] = 60;
  run["queue"]["cpu"] = {
      {"cpus", 2},        {"limit", 0.5},         {"workers_s", 3.25},       {"wait_s", 4.125},
      {"process_s", 3.5}, {"throttle_s", 4.0625}, {"throttled_periods", 61}, {"steal_s", nullptr}};
  run["depths"] = example_depths(run["plan"], predicted);
  run["verdict"] = "Balanced: the consumer waits 4 % of its time, the workers 7 % of theirs.";
  run["next"] = "weir tune photos --consumer-ms 60";
  return run;
}

/// Opens the page of `report`. Empty, with a warning, if there is no Chromium.
inline std::optional<Opened> open(const nlohmann::json& report, int width = 1400) {
  return open_page(report::page(report), width);
}

/// One chart of the page, by its id.
inline const nlohmann::json& chart(const nlohmann::json& found, std::string_view id) {
  return *std::ranges::find_if(found["charts"], [&](const nlohmann::json& one) {
    return one["id"].get_ref<const std::string&>() == id;
  });
}

/// One series of a chart, by its name.
inline const nlohmann::json& series(const nlohmann::json& chart, std::string_view label) {
  return *std::ranges::find_if(chart["datasets"], [&](const nlohmann::json& one) {
    return one["label"].get_ref<const std::string&>() == label;
  });
}

}  // namespace weir::test
