#include <set>
#include <utility>

#include "example.hpp"
#include "figures.hpp"
#include "support/text.hpp"

using namespace weir::test;
using PageJson = nlohmann::json;

namespace {

/// Compares every number on the page with its value in the report. Returns how many there are.
std::size_t check_numbers(const PageJson& found, const PageJson& report) {
  for (const auto& number : found["numbers"]) {
    const std::string path = number["path"], text = number["text"];
    CAPTURE(path, text);
    CHECK(says(text, number["unit"], at(report, path)));
  }
  return found["numbers"].size();
}

bool shows(const PageJson& found, const std::string& path) {
  for (const auto& number : found["numbers"])
    if (number["path"] == path) return true;
  return false;
}

}  // namespace

TEST_CASE("a text is held against a figure to the digits it shows", "[page]") {
  CHECK(says("9.19 MiB", "bytes", 9'635'328));
  CHECK_FALSE(says("9.20 MiB", "bytes", 9'635'328));
  CHECK(says("77.1 ms", "seconds", 0.07712));
  CHECK_FALSE(says("77.1 s", "seconds", 0.07712));
  CHECK(says("2.21 ms", "micros", 2210.4));
  CHECK(says("−1.9 %", "change", -0.0186));
  CHECK_FALSE(says("+1.9 %", "change", -0.0186));
  CHECK(says("3,200", "count", 3200));
  CHECK_FALSE(says("3,201", "count", 3200));
  CHECK(says("×5.43", "times", 5.43));
  CHECK_FALSE(says("5.43", "times", 5.43));
  CHECK(says("+5.60 MiB", "difference", 5'872'025));
  CHECK(says("−5.60 MiB", "difference", -5'872'025));
  CHECK(says("468 samples/s", "rate", 468.1));
  CHECK(says("decode", "word", "decode"));
  CHECK_FALSE(says("9.19 MB", "bytes", 9'635'328));
}

TEST_CASE("the numbers on the page are those of the report", "[page]") {
  const auto report = example_sweep();
  const auto opened = open(report);
  if (!opened) return;
  REQUIRE_FALSE(opened->found.is_null());
  CHECK(check_numbers(opened->found, report) > 100);
  for (const auto* path :
       {"by_depth.1.samples_per_s", "by_depth.1.least_samples_per_s",
        "runs.1.throughput.samples_per_s", "runs.2.predicted.staging_bytes",
        "runs.2.predicted.peak_staging_bytes", "runs.2.predicted_off.peak_staging_bytes",
        "runs.1.predicted_off.samples_per_s", "runs.1.queue.storage_wait_s",
        "runs.1.stages.2.p90_us", "runs.1.queue.occupancy.4", "runs.1.memory.at_peak.ready"}) {
    CAPTURE(path);
    CHECK(shows(opened->found, path));
  }
}

TEST_CASE("a number stands under the heading it belongs to", "[page]") {
  const auto opened = open(example_sweep());
  if (!opened) return;
  REQUIRE_FALSE(opened->found.is_null());
  const std::set<std::pair<std::string, std::string>> expected{
      {"runs.1.predicted.staging_bytes", "4: slab limit"},
      {"runs.1.predicted.peak_staging_bytes", "4: predicted peak"},
      {"runs.1.memory.staging", "4: measured peak"},
      {"runs.1.predicted_off.peak_staging_bytes", "4: peak off by"},
      {"runs.1.memory.peak", "4: peak of all accounts"},
      {"runs.1.predicted.samples_per_s", "4: samples/s, predicted"},
      {"by_depth.1.samples_per_s", "4: samples/s, median"},
      {"runs.1.predicted_off.samples_per_s", "4: off by"},
      {"runs.1.queue.consumer_wait_s", "4: waited, measured"},
      {"runs.1.queue.data_readiness", "4: data readiness, measured"},
      {"runs.1.stages.2.p50_us", "decode: p50"},
      {"runs.1.stages.2.p99_us", "decode: p99"},
      {"runs.1.stages.2.busy_s", "decode: total"},
      {"runs.1.queue.occupancy.4", "4: share of the time"},
      {"runs.1.memory.at_peak.ready", "ready: at the peak"},
      {"runs.1.samples.drawn", "4: drawn"},
      {"runs.1.samples.consumed", "4: consumed"},
      {"runs.1.samples.unused", "4: drawn ahead and never used"},
      {"by_depth.1.least_samples_per_s", "4: least"},
      {"by_depth.1.most_samples_per_s", "4: most"},
      {"by_depth.1.runs", "4: runs"}};
  std::set<std::pair<std::string, std::string>> places;
  for (const auto& number : opened->found["numbers"])
    places.emplace(number["path"], number["place"]);
  for (const auto& one : expected) {
    CAPTURE(one.first, one.second);
    CHECK(places.contains(one));
  }
}

TEST_CASE("the page of tune says how each share is known", "[page]") {
  const auto opened = open(example_tune());
  if (!opened) return;
  REQUIRE_FALSE(opened->found.is_null());
  const auto text = opened->found["text"].get<std::string>();
  for (const auto* label :
       {"the consumer waits, predicted", "data readiness, predicted", "consumer waits, predicted",
        "the consumer waited, measured over the whole run", "data readiness, measured over"}) {
    CAPTURE(label);
    CHECK(contains(text, label));
  }
  for (const auto* bare : {"data readiness\n", "the consumer waits\n", "the consumer waited\n"}) {
    CAPTURE(bare);
    CHECK_FALSE(contains(text, bare));
  }
}

TEST_CASE("a page has the report's numbers, for tune and for a run", "[page]") {
  const bool tunes = GENERATE(true, false);
  const auto report = tunes ? example_tune() : example_run();
  const auto opened = open(report);
  if (!opened) return;
  REQUIRE_FALSE(opened->found.is_null());
  CHECK(check_numbers(opened->found, report) > 60);
  CHECK(shows(opened->found, "depths.2.staging_bytes"));
  CHECK(shows(opened->found, "depths.2.float32_bytes"));
  for (const auto* path : {"runs.0.regime", "advice.now.read_ahead", "advice.levers.0.gain",
                           "advice.levers.0.bytes", "advice.levers.1.result.samples_per_s",
                           "grid.points.13.samples_per_s", "grid.points.13.total_bytes",
                           "depths.0.predicted.samples_per_s", "depths.4.predicted.consumer_wait",
                           "depths.4.predicted.peak_staging_bytes", "depths.1.predicted.regime"}) {
    CAPTURE(path);
    CHECK(shows(opened->found, path) == tunes);
  }
  for (const auto* path : {"queue.cpu.workers_s", "queue.cpu.wait_s", "queue.cpu.throttle_s"}) {
    CAPTURE(path);
    CHECK(shows(opened->found, path) != tunes);
  }
  CHECK_FALSE(shows(opened->found, "queue.cpu.steal_s"));
}

TEST_CASE("a file's name stays text, whatever it is", "[page]") {
  const auto report = example_sweep();
  const auto html = weir::report::page(report);
  CHECK_FALSE(contains(html, "odd/</script>"));
  const auto opened = open_page(html);
  if (!opened) return;
  REQUIRE_FALSE(opened->found.is_null());
  CHECK(contains(opened->found["text"].get<std::string>(), "odd/</script><!-- <b>.jpg"));
}

TEST_CASE("the program's own page opens, and its numbers are its JSON's", "[page]") {
  const TemporaryFolder folder;
  const auto html = folder.path() / "page.html", json = folder.path() / "report.json";
  std::vector<std::string> arguments{"sweep",    "synthetic:64,16x16",
                                     "--size",   "16x16",
                                     "--batch",  "8",
                                     "--epochs", "2",
                                     "--html",   html,
                                     "--json",   json};
  const std::string command = GENERATE("sweep", "tune", "run");
  arguments.front() = command;
  if (command != "run") arguments.insert(arguments.end(), {"--consumer-ms", "5"});
  if (command == "sweep")
    arguments.insert(arguments.end(), {"--max-queue-size", "1,3", "--rounds", "3"});
  REQUIRE(weir::test::weir(arguments).exit_code == 0);
  const auto opened = open_page(read_file(html));
  if (!opened) return;
  REQUIRE_FALSE(opened->found.is_null());
  CHECK(opened->found["errors"].dump() == "[]");
  CHECK(opened->console == "");
  CHECK(check_numbers(opened->found, PageJson::parse(read_file(json))) > 10);
  CHECK(opened->found["charts"].size() >= (command == "sweep" ? 5 : command == "tune" ? 6 : 4));
}

TEST_CASE("a run that measured nothing has a page that opens", "[page]") {
  const auto opened = open(PageJson{{"schema", 1},
                                    {"version", "0.1.0"},
                                    {"command", "run"},
                                    {"plan", nullptr},
                                    {"memory", nullptr},
                                    {"throughput", nullptr},
                                    {"queue", nullptr},
                                    {"error", "no image was found"}});
  if (!opened) return;
  REQUIRE_FALSE(opened->found.is_null());
  CHECK(opened->found["errors"].dump() == "[]");
  CHECK(opened->console == "");
  CHECK(opened->found["pictures"].empty());
}
