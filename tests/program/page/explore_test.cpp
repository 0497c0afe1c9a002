#include <set>

#include "example.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"

using namespace weir::test;
using PageJson = nlohmann::json;

TEST_CASE("the controls on tune's page show the chosen prediction", "[page]") {
  const auto report = example_tune();
  const auto opened = open(report);
  if (!opened) return;
  REQUIRE_FALSE(opened->found.is_null());
  CHECK(contains(opened->found["text"].get<std::string>(), "These are the settings now."));
  // The harness moves each control to its first value, and then all to the last.
  const auto& moved = opened->found["moved"];
  REQUIRE(moved.size() == 5);
  const int points[] = {5, 1, 1, 0};
  for (std::size_t i = 0; i < 4; ++i) {
    CAPTURE(i);
    REQUIRE(moved[i]["paths"].size() == 5);
    for (const auto& path : moved[i]["paths"])
      CHECK(path.get<std::string>().starts_with("grid.points." + std::to_string(points[i]) + "."));
    CHECK(contains(moved[i]["note"].get<std::string>(), "of the throughput now"));
  }
  CHECK(moved[3]["outputs"] == PageJson{"1 batch", "1 thread", "0 reads", "30.0 ms a batch"});
  CHECK(moved[4]["note"] == "The budget does not hold this setting.");
}

TEST_CASE("accounts and stages are defined where they are shown", "[page]") {
  const auto opened = open(example_tune());
  if (!opened) return;
  REQUIRE_FALSE(opened->found.is_null());
  std::set<std::string> defined;
  for (const auto& one : opened->found["defined"]) {
    CHECK_FALSE(one["meaning"].get<std::string>().empty());
    defined.insert(one["name"]);
  }
  for (const auto& account : chart(opened->found, "accounts-over-time")["datasets"]) {
    const std::string name = account["label"];
    CAPTURE(name);
    CHECK((name == "budget" || defined.contains(name)));
  }
  for (const auto* stage : {"read", "decode", "fit", "handoff", "lease"}) {
    CAPTURE(stage);
    CHECK(defined.contains(stage));
  }
}

TEST_CASE("the chart of the bytes leaves out a trace, and says so", "[page]") {
  auto report = example_run();
  constexpr std::uint64_t trace = 12u << 20;
  report["plan"]["trace_bytes"] = trace;
  for (auto& point : report["timeline"]) {
    point["accounts"]["index"] = point["accounts"]["index"].get<std::uint64_t>() + trace;
    point["live"] = point["live"].get<std::uint64_t>() + trace;
  }
  auto& memory = report["memory"];
  const auto peak = memory["peak"].get<std::uint64_t>();
  memory["peak"] = peak + trace;
  memory["at_peak"]["index"] = memory["at_peak"]["index"].get<std::uint64_t>() + trace;
  report["plan"]["budget_bytes"] = peak + (1u << 20) + trace;
  const auto opened = open(report);
  if (!opened) return;
  REQUIRE_FALSE(opened->found.is_null());
  const auto& bytes = chart(opened->found, "accounts-over-time");
  for (const auto& point : series(bytes, "index")["points"]) CHECK(point[1].get<double>() < 1);
  const auto& budget = series(bytes, "budget without the trace")["points"];
  CHECK(budget[0][1].get<double>() * (1 << 20) == static_cast<double>(peak) + (1 << 20));
  CHECK(contains(opened->found["text"].get<std::string>(), "Of that, the trace takes 12.00 MiB"));
}

TEST_CASE("no point of a chart lies above the limit that it draws", "[page]") {
  auto report = example_sweep();
  report["limit"]["samples_per_s"] = 470.5;  // less than the fastest run
  const auto opened = open(report);
  if (!opened) return;
  REQUIRE_FALSE(opened->found.is_null());
  for (const auto& set : chart(opened->found, "pace-by-depth")["datasets"])
    CHECK_FALSE(contains(set["label"].get<std::string>(), "limit"));
}

TEST_CASE("tables that are wider than a phone say that they scroll", "[page]") {
  const auto opened = open(example_sweep(), 400);
  if (!opened) return;
  REQUIRE_FALSE(opened->found.is_null());
  CHECK(contains(opened->found["text"].get<std::string>(), "Scroll to the right for more columns"));
  std::size_t wide = 0;
  for (const auto& table : opened->found["tables"]) {
    CAPTURE(table["name"]);
    CHECK(table["scrolls"] == table["says_so"]);
    wide += table["scrolls"] == true;
  }
  CHECK(wide >= 1);
}
