#include <algorithm>
#include <set>

#include "browser.hpp"
#include "example.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"

using namespace weir::test;
using PageJson = nlohmann::json;

namespace {

std::set<std::string> chart_ids(const PageJson& found) {
  std::set<std::string> ids;
  for (const auto& chart : found["charts"]) ids.insert(chart["id"]);
  return ids;
}

/// The sentence as a page writes it: no line break between a number and its unit.
std::string spaces_kept(std::string text) {
  for (const auto* unit : {" %", " ×", " MiB", " samples/s"}) {
    const auto joined = "\u00a0" + std::string(unit + 1);
    for (auto at = text.find(unit); at != std::string::npos; at = text.find(unit, at))
      text.replace(at, std::string(unit).size(), joined);
  }
  return text;
}

/// Fails if the page shows a word such as `undefined`, which a script prints for a missing value.
void check_words(const PageJson& found) {
  for (const auto* slip : {"undefined", "null", "false", "NaN", "Infinity", "[object"}) {
    CAPTURE(slip);
    CHECK_FALSE(contains(found["text"].get<std::string>(), slip));
  }
}

void check_sound(const auto& page) {
  REQUIRE_FALSE(page.found.is_null());
  CHECK(page.found["errors"].dump() == "[]");
  CHECK(page.console == "");
  check_words(page.found);
}

const std::set<std::string> of_depths{"bytes-by-depth", "pace-by-depth", "ahead-by-depth"};
const std::set<std::string> of_a_run{"time-shares", "stage-times", "accounts-over-time",
                                     "queue-over-time", "occupancy"};

}  // namespace

TEST_CASE("the page opens without an error and fetches nothing", "[page]") {
  const auto opened = open(example_sweep());
  if (!opened) return;
  REQUIRE_FALSE(opened->found.is_null());
  CHECK(opened->found["errors"].dump() == "[]");
  CHECK(opened->console == "");
  CHECK(opened->found["fetched"].dump() == "[]");
  CHECK(opened->found["title"] == "weir sweep · queue depths compared · photos");
  const auto text = opened->found["text"].get<std::string>();
  CHECK(contains(text, spaces_kept(example_sweep()["verdict"])));
  CHECK(contains(text, "weir tune photos --consumer-ms 60"));
  check_words(opened->found);
}

TEST_CASE("every chart has drawn what it is there for", "[page]") {
  const auto opened = open(example_sweep());
  if (!opened) return;
  auto expected = of_depths;
  expected.insert(of_a_run.begin(), of_a_run.end());
  REQUIRE(chart_ids(opened->found) == expected);
  for (const auto& drawn : opened->found["charts"]) {
    CAPTURE(drawn["id"]);
    int seen = 0;
    for (const auto& set : drawn["datasets"]) seen += set["pixels"] > 20 ? 1 : 0;
    CHECK(seen > 0);
    CHECK(contains(drawn["label"].get<std::string>(), ". "));
    CHECK_FALSE(drawn["axes"]["x"].get<std::string>().empty());
  }
  for (const auto* id : {"bytes-by-depth", "pace-by-depth", "stage-times"}) {
    for (const auto& set : chart(opened->found, id)["datasets"]) {
      CAPTURE(id, set["label"]);
      CHECK(set["pixels"] > 20);
    }
  }
  CHECK(chart(opened->found, "bytes-by-depth")["axes"]["y"] == "MiB");
  CHECK(chart(opened->found, "pace-by-depth")["axes"]["y"] == "samples/s");
}

TEST_CASE("charts show the figures of the report", "[page]") {
  const auto report = example_sweep();
  const auto opened = open(report);
  if (!opened) return;
  constexpr double mib = 1024.0 * 1024;
  const auto& runs = report["runs"];
  const auto& bytes = chart(opened->found, "bytes-by-depth");
  const auto& pace = chart(opened->found, "pace-by-depth");
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto y = [&](const PageJson& drawn, const char* label) {
      return series(drawn, label)["points"][i][1].get<double>();
    };
    const auto& predicted = runs[i]["predicted"];
    CHECK(y(bytes, "measured peak") * mib == runs[i]["memory"]["staging"]);
    CHECK(y(bytes, "predicted peak") * mib == predicted["peak_staging_bytes"]);
    CHECK(y(bytes, "slab limit") * mib == predicted["staging_bytes"]);
    CHECK(y(bytes, "float16, computed") * mib == predicted["float16_bytes"]);
    CHECK(y(bytes, "float32, computed") * mib == predicted["float32_bytes"]);
    CHECK(y(pace, "measured") == runs[i]["throughput"]["samples_per_s"]);
    CHECK(y(pace, "predicted") == predicted["samples_per_s"]);
  }
  CHECK(series(pace, "predicted limit of any depth")["points"][0][1] ==
        report["limit"]["samples_per_s"]);
  const auto& budget = series(bytes, "budget")["points"];
  REQUIRE(budget.size() == 2);
  for (const auto& end : budget)
    CHECK(end[1].get<double>() * mib == runs[0]["plan"]["budget_bytes"]);

  // The page shows the run of the depth that is enough first.
  const auto& run = runs[1];
  REQUIRE(run["plan"]["max_queue_size"] == 4);
  const auto& accounts = chart(opened->found, "accounts-over-time");
  const auto& queue = chart(opened->found, "queue-over-time");
  for (std::size_t i = 0; i < run["timeline"].size(); ++i) {
    const auto& point = run["timeline"][i];
    double live = 0;
    for (const auto& account : accounts["datasets"]) {
      if (account["label"] == "budget") continue;
      CHECK(account["points"][i][0] == point["t"]);
      CHECK(account["points"][i][1].get<double>() * mib ==
            point["accounts"][account["label"].get<std::string>()]);
      live += account["points"][i][1].get<double>() * mib;
    }
    CHECK(live == point["live"]);
    CHECK(series(queue, "ready")["points"][i][1] == point["ready"]);
    CHECK(series(queue, "being filled")["points"][i][1] == point["filling"]);
  }
  const auto& shares = chart(opened->found, "occupancy")["datasets"][0]["points"];
  for (std::size_t i = 0; i < shares.size(); ++i)
    CHECK(shares[i] == 100 * run["queue"]["occupancy"][i].get<double>());
  CHECK(series(chart(opened->found, "stage-times"), "p90")["points"][1][0] ==
        run["stages"][2]["p90_us"]);
}

TEST_CASE("each page has the samples drawn, and those never used", "[page]") {
  const std::string command = GENERATE("sweep", "tune", "run");
  const auto report = command == "sweep"  ? example_sweep()
                      : command == "tune" ? example_tune()
                                          : example_run();
  const auto opened = open(report);
  if (!opened) return;
  check_sound(*opened);
  const auto run = command == "run" ? std::string() : command == "tune" ? "runs.0." : "runs.1.";
  std::set<std::string> paths;
  for (const auto& number : opened->found["numbers"]) paths.insert(number["path"]);
  for (const auto* key : {"samples.drawn", "samples.consumed", "samples.unused"})
    CHECK(paths.contains(run + key));
  CHECK(contains(opened->found["text"].get<std::string>(),
                 command == "tune" ? "3,200 consumed, 32 drawn ahead and never used"
                                   : "3,200 consumed, 128 drawn ahead and never used"));
  const auto& ahead = chart(opened->found, "ahead-by-depth");
  const auto& most = series(ahead, "drawn ahead, at most")["points"];
  const auto& unused = series(ahead, "drawn ahead and never used, measured")["points"];
  if (command == "sweep") {
    CHECK(unused == PageJson{{1, 32}, {4, 128}, {8, 256}});
    CHECK(most == PageJson{{1, 64}, {4, 160}, {8, 288}});
  } else {
    CHECK(unused == (command == "tune" ? PageJson{{1, 32}} : PageJson{{4, 128}}));
    CHECK(most.size() == report["depths"].size());
    CHECK(paths.contains("depths.4.samples_ahead"));
  }
}

TEST_CASE("the cost of a slot is a number, and its chart is linear", "[page]") {
  const auto opened = open(example_sweep());
  if (!opened) return;
  REQUIRE_FALSE(opened->found.is_null());
  const auto text = opened->found["text"].get<std::string>();
  CHECK(contains(text, "One slot costs 4.59 MiB. "));
  std::set<std::string> paths;
  for (const auto& number : opened->found["numbers"]) paths.insert(number["path"]);
  for (const auto* path : {"runs.0.plan.slab_bytes", "runs.0.plan.columns.0.slot_bytes",
                           "runs.0.plan.columns.1.slot_bytes"})
    CHECK(paths.contains(path));
  for (const auto* id : {"bytes-by-depth", "ahead-by-depth"}) {
    const auto& drawn = chart(opened->found, id);
    CAPTURE(id);
    CHECK(drawn["axes"]["x"] == "max_queue_size, batches");
    for (const auto& set : drawn["datasets"])
      if (set["label"] != "budget") CHECK(set["points"][1][0] == 4);
  }
  CHECK(chart(opened->found, "pace-by-depth")["axes"]["x"] ==
        "max_queue_size, batches, logarithmic");
}

TEST_CASE("a page says the time between the steps of its bytes", "[page]") {
  const auto opened = open(example_run());
  if (!opened) return;
  REQUIRE_FALSE(opened->found.is_null());
  CHECK(contains(opened->found["text"].get<std::string>(), "add up to live. A step is 300 ms. "));
}

TEST_CASE("a page has its title and names the guide without scripts", "[page]") {
  auto report = example_sweep();
  CHECK(contains(weir::report::page(report),
                 "<title>weir sweep · queue depths compared · photos</title>\n"));
  report["data"] = "</title><b>&lt;";
  CHECK(contains(weir::report::page(report), " · &lt;/title>&lt;b>&amp;lt;</title>\n"));
  const std::string guide = "/usr/share/doc/weir/docs/guide/concepts.md";
  const auto opened = open_page(weir::report::page(report, {}, guide));
  if (!opened) return;
  check_sound(*opened);
  CHECK(opened->found["title"] == "weir sweep · queue depths compared · </title><b>&lt;");
  CHECK(opened->found["links"] ==
        PageJson{{{"href", "file://" + guide}, {"text", "docs/guide/concepts.md"}}});
}

TEST_CASE("no table of a page scrolls at 1280 pixels", "[page]") {
  const auto which = GENERATE(0, 1, 2);
  const auto opened = open(which == 0   ? example_sweep()
                           : which == 1 ? example_tune()
                                        : example_run(true),
                           1280);
  if (!opened) return;
  REQUIRE_FALSE(opened->found.is_null());
  CHECK(opened->found["tables"].size() > 4);
  for (const auto& table : opened->found["tables"]) {
    CAPTURE(table["name"]);
    CHECK(table["scrolls"] == false);
  }
}

TEST_CASE("an option to paste is visible at 400 pixels", "[page]") {
  const auto opened = open(example_tune(), 400);
  if (!opened) return;
  REQUIRE_FALSE(opened->found.is_null());
  const auto& options = opened->found["options"];
  REQUIRE_FALSE(options.empty());
  for (const auto& option : options) {
    CAPTURE(option["text"]);
    CHECK(option["seen"] == true);
  }
}

TEST_CASE("the page of a sweep marks the depth of its verdict", "[page]") {
  auto report = example_sweep();
  report["runs"][1]["plan"]["max_queue_size_requested"] = 16;  // cut to 4
  report["runs"].push_back(report["runs"][1]);
  const bool noisy = GENERATE(false, true);
  if (noisy) {
    report["conclusion"]["max_queue_size"] = nullptr;
    report["verdict"] = report["conclusion"]["sentence"] =
        "Too noisy to tell (spread 3.7 ×): repeat with --rounds 10.";
    for (auto& depth : report["by_depth"]) depth["slower"] = depth["mark"] = nullptr;
  }
  const auto opened = open(report);
  if (!opened) return;
  check_sound(*opened);
  for (const auto* id : {"bytes-by-depth", "pace-by-depth"}) {
    const auto& mark = chart(opened->found, id)["mark"];
    CAPTURE(id, mark.dump());
    CHECK((mark == PageJson{{"text", "enough"}, {"at", 4}}) == !noisy);
  }
  const auto text = opened->found["text"].get<std::string>();
  CHECK(contains(text, spaces_kept(report["verdict"])));
  CHECK(contains(text, "slower than 8") == !noisy);
  const std::string cut = "--memory-budget allows max_queue_size 4, not 16.";
  CHECK(contains(text, cut));
  CHECK(text.find(cut) == text.rfind(cut));
}

TEST_CASE("another run can be looked at", "[page]") {
  const auto report = example_sweep();
  const auto opened = open(report);
  if (!opened) return;
  REQUIRE_FALSE(opened->found.is_null());
  const auto& other = opened->found["other"];
  CHECK(other["pressed"] == PageJson::array({other["name"]}));
  REQUIRE(other["name"] == "1");
  REQUIRE(other["paths"].size() > 5);
  for (const auto& path : other["paths"]) CHECK(path.get<std::string>().starts_with("runs.0."));
  CHECK(chart_ids(other) == chart_ids(opened->found));
  const auto& ready = series(chart(other, "queue-over-time"), "ready");
  const auto& timeline = report["runs"][0]["timeline"];
  REQUIRE(ready["points"].size() == timeline.size());
  for (std::size_t i = 0; i < timeline.size(); ++i)
    CHECK(ready["points"][i][1] == timeline[i]["ready"]);
  CHECK(ready["pixels"] > 20);
}

TEST_CASE("tune draws the bytes, pace and waits predicted by depth", "[page]") {
  const auto report = example_tune();
  const auto opened = open(report);
  if (!opened) return;
  check_sound(*opened);
  auto expected = of_a_run;
  expected.insert(of_depths.begin(), of_depths.end());
  expected.insert("waits-by-depth");
  REQUIRE(chart_ids(opened->found) == expected);
  constexpr double mib = 1024.0 * 1024;
  const auto& bytes = chart(opened->found, "bytes-by-depth");
  const auto& pace = chart(opened->found, "pace-by-depth");
  const auto& waits = chart(opened->found, "waits-by-depth");
  for (const auto* drawn : {&bytes, &pace, &waits})
    for (const auto& set : (*drawn)["datasets"]) {
      CAPTURE((*drawn)["id"], set["label"]);
      CHECK(set["pixels"] > 20);
    }
  for (std::size_t i = 0; i < report["depths"].size(); ++i) {
    const auto y = [&](const PageJson& drawn, const char* label) {
      return series(drawn, label)["points"][i][1].get<double>();
    };
    const auto& depth = report["depths"][i];
    const auto& predicted = depth["predicted"];
    CHECK(y(bytes, "slab limit") * mib == depth["staging_bytes"]);
    CHECK(y(bytes, "predicted peak") * mib == predicted["peak_staging_bytes"]);
    CHECK(y(bytes, "float16, computed") * mib == depth["float16_bytes"]);
    CHECK(y(bytes, "float32, computed") * mib == depth["float32_bytes"]);
    CHECK(y(pace, "predicted") == predicted["samples_per_s"]);
    CHECK(y(waits, "time that the consumer waits, predicted") ==
          100 * predicted["consumer_wait"].get<double>());
    CHECK(y(waits, "data readiness, predicted") == 100 * predicted["data_readiness"].get<double>());
  }
  CHECK(series(bytes, "budget")["points"][1][1].get<double>() * mib ==
        report["runs"][0]["plan"]["budget_bytes"]);
  CHECK(series(pace, "predicted limit of any setting")["points"][0][1] ==
        report["advice"]["ceiling"]["samples_per_s"]);
  for (const auto* drawn : {&bytes, &pace, &waits})
    CHECK((*drawn)["mark"] == PageJson{{"text", "now"}, {"at", 4}});
}

TEST_CASE("tune's page begins with the verdict and explains its run", "[page]") {
  const auto opened = open(example_tune());
  if (!opened) return;
  REQUIRE_FALSE(opened->found.is_null());
  const auto text = opened->found["text"].get<std::string>();
  CHECK(opened->found["title"] == "weir tune · what limits the run, and what to change · photos");
  const auto advice = example_tune()["advice"];
  const auto verdict = text.find(spaces_kept(advice["verdict"]["sentence"]));
  REQUIRE(verdict != std::string::npos);
  CHECK(text.find("This is predicted for the given settings. Best setting: read_ahead 0") >
        verdict);
  std::size_t before = text.find("What to change, by gain");
  CHECK(before > verdict);
  for (const auto& lever : advice["levers"]) {
    const auto found = text.find(lever["title"].get<std::string>(), before);
    REQUIRE(found != std::string::npos);
    before = found;
  }
  CHECK(contains(text, "weir run photos --consumer-ms 60 --read-ahead 27"));
  CHECK(contains(text, "options.io.read_ahead = 27;"));
  const auto run = text.find("The run that was measured");
  REQUIRE(run != std::string::npos);
  CHECK(text.find("Measured with read_ahead 16 instead of 0", run) != std::string::npos);
  CHECK(text.find("regime of this run", run) != std::string::npos);
  const auto setup = text.substr(0, run);
  CHECK_FALSE(contains(setup, "16 reads ahead"));
  CHECK_FALSE(contains(text, "\nregime\n"));
}

TEST_CASE("a run's page draws what each depth may hold", "[page]") {
  auto report = example_run();
  // The plan of a tuned run has bounds, which it did not reach.
  report["plan"]["max_queue_size"] = 16;
  report["plan"]["tuned"] = true;
  report["setting"] = {{"max_queue_size", 4}, {"workers", 1}, {"read_ahead", 0}, {"batch", 32}};
  const auto opened = open(report);
  if (!opened) return;
  check_sound(*opened);
  CHECK(
      contains(opened->found["text"].get<std::string>(), " · tuned to a queue of 4 · 1 worker · "));
  auto expected = of_a_run;
  expected.insert({"bytes-by-depth", "ahead-by-depth"});
  REQUIRE(chart_ids(opened->found) == expected);
  const auto& bytes = chart(opened->found, "bytes-by-depth");
  constexpr double mib = 1024.0 * 1024;
  const auto& depths = report["depths"];
  REQUIRE(series(bytes, "slab limit")["points"].size() == depths.size());
  for (std::size_t i = 0; i < depths.size(); ++i)
    CHECK(series(bytes, "slab limit")["points"][i][1].get<double>() * mib ==
          depths[i]["staging_bytes"]);
  const auto& measured = series(bytes, "measured peak")["points"];
  REQUIRE(measured.size() == 1);
  CHECK(measured[0][1].get<double>() * mib == report["memory"]["staging"]);
  CHECK(bytes["mark"] == PageJson{{"text", "this run"}, {"at", 4}});
}

TEST_CASE("a run as evidence draws predicted depths beside its own", "[page]") {
  const auto report = example_run(true);
  const auto opened = open(report);
  if (!opened) return;
  REQUIRE_FALSE(opened->found.is_null());
  CHECK(opened->found["errors"].dump() == "[]");
  check_words(opened->found);
  const auto ids = chart_ids(opened->found);
  for (const auto* id : {"bytes-by-depth", "pace-by-depth", "ahead-by-depth", "waits-by-depth"}) {
    REQUIRE(ids.contains(id));
    CHECK(chart(opened->found, id)["mark"] == PageJson{{"text", "this run"}, {"at", 4}});
  }
  const auto& pace = chart(opened->found, "pace-by-depth");
  for (std::size_t i = 0; i < report["depths"].size(); ++i)
    CHECK(series(pace, "predicted")["points"][i][1] ==
          report["depths"][i]["predicted"]["samples_per_s"]);
  const auto& measured = series(pace, "measured");
  REQUIRE(measured["points"].size() == 1);
  CHECK(measured["points"][0][1] == report["throughput"]["samples_per_s"]);
  CHECK(measured["pixels"] > 20);
}

TEST_CASE("charts without data are left out, and the page still opens", "[page]") {
  auto report = example_sweep();
  for (const auto* key : {"by_depth", "conclusion", "limit", "verdict", "next"}) report.erase(key);
  for (auto& run : report["runs"]) {
    run.erase("timeline");
    run["stages"] = PageJson::array();
    run["regime"] = nullptr;
    run.erase("regime_why");
    run.erase("predicted_off");
    run["predicted"]["samples_per_s"] = nullptr;
    run["queue"] = {
        {"occupancy", PageJson::array()}, {"consumer_wait_s", 0.1}, {"storage_wait_s", 0},
        {"decode_wait_s", 0.1},           {"memory_wait_s", 0},     {"device_wait_s", 0},
        {"producer_wait_s", 0.1},         {"batches", 0},           {"data_readiness", nullptr}};
  }
  const auto opened = open(report);
  if (!opened) return;
  check_sound(*opened);
  CHECK(contains(opened->found["text"].get<std::string>(), "no batch was delivered"));
  for (const auto& set : chart(opened->found, "time-shares")["datasets"])
    CHECK(set["label"] == "waits for decoding");
  auto expected = of_depths;
  expected.insert("time-shares");
  CHECK(chart_ids(opened->found) == expected);
}

TEST_CASE("the page of encoded rows has no shape and no floats", "[page]") {
  auto report = example_run();
  auto& plan = report["plan"];
  plan["shape"] = nullptr;
  plan["annotation_bytes"] = 80;
  for (auto& depth : report["depths"]) depth["float16_bytes"] = depth["float32_bytes"] = nullptr;
  const auto opened = open(report);
  if (!opened) return;
  check_sound(*opened);
  const auto text = opened->found["text"].get<std::string>();
  CHECK(contains(text, " · encoded · "));
  CHECK_FALSE(contains(text, "float"));
  for (const auto& set : chart(opened->found, "bytes-by-depth")["datasets"])
    CHECK_FALSE(contains(set["label"].get<std::string>(), "float"));
  // The columns of a row, without planes.
  CHECK(contains(text, "A row, by column"));
  CHECK_FALSE(contains(text, "broken"));
}

TEST_CASE("the page of rows with partners counts rows", "[page]") {
  auto report = example_run();
  report["plan"]["partners"] = 3;
  report["samples"]["partners"] = 384;
  report["planes"] = {{{"name", "mask"}, {"ok", 5}, {"broken", 1}}};
  // Planes have taken the list.
  report["fault_count"] = 2;
  report["faults"] = example_sweep()["runs"][0]["faults"];
  report["faults"][0]["plane"] = "mask";
  const auto opened = open(report);
  if (!opened) return;
  check_sound(*opened);
  const auto text = opened->found["text"].get<std::string>();
  CHECK(contains(text, " · samples/s: a row of 4 samples counts once · "));
  CHECK(contains(text, " rows/s"));
  CHECK(contains(text, "rows drawn\n"));
  CHECK_FALSE(contains(text, "samples drawn"));
  CHECK(contains(text, "2 faults in 1 run; the report lists none of them."));
  CHECK(contains(text, "the broken files are of partners, too."));
}

TEST_CASE("a phone's width holds the page", "[page]") {
  const auto which = GENERATE(0, 1, 2);
  const auto opened = open(which == 0   ? example_sweep()
                           : which == 1 ? example_tune()
                                        : example_run(),
                           390);
  if (!opened) return;
  REQUIRE_FALSE(opened->found.is_null());
  CHECK(opened->found["width"].get<int>() <= 390);
  CHECK(opened->found["content_width"] == opened->found["width"]);
  for (const auto& drawn : opened->found["charts"]) {
    CAPTURE(drawn["id"]);
    CHECK(
        std::ranges::any_of(drawn["datasets"], [](const auto& set) { return set["pixels"] > 20; }));
  }
}
