#include <sstream>

#include "agreement.hpp"
#include "program.hpp"
#include "report/table.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"

using namespace weir::test;

TEST_CASE("a sweep reports each depth, predicted beside measured", "[sweep]") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "sweep.json";
  const auto outcome = weir::test::weir({"sweep", "synthetic:64,16x16", "--size", "16x16",
                                         "--batch", "8", "--epochs", "2", "--max-queue-size", "1,3",
                                         "--consumer-ms", "5", "--rounds", "3", "--json", file});
  REQUIRE(outcome.exit_code == 0);
  CHECK(contains(outcome.out, "\nThroughput, measured, by queue depth\nqueue  samples/s"));
  CHECK(contains(outcome.out, "\nqueue  samples/s  predicted"));
  CHECK(contains(outcome.out, "\nqueue  limit  predicted  measured"));
  CHECK(contains(outcome.out, "\nqueue  drawn  consumed  never used"));
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);)
    CHECK((line.starts_with("Next: ") || weir::report::display_width(line) <= 80));
  const auto json = Json::parse(read_file(file));
  CHECK(json["command"] == "sweep");
  REQUIRE(json["by_depth"].size() == 2);
  CHECK(json["by_depth"][0]["runs"] == 3);
  // The measured times decide which options the next command changes.
  const auto next = json["next"].get<std::string>();
  CHECK(contains(next, " synthetic:64,16x16 "));
  CHECK(contains(next, " --epochs "));
  CHECK(json["consumer_ms"] == 5);
  CHECK(json["measured_size"].is_null());
  REQUIRE(json["runs"].size() == 6);
  const int depths[] = {1, 3};
  for (std::size_t i = 0; i < 6; ++i) {
    const auto& run = json["runs"][i];
    CHECK(run["plan"]["max_queue_size"] == depths[i % 2]);  // in turns
    CHECK(run["plan"]["slabs"] == depths[i % 2] + 1);
    const auto staging =
        run["plan"]["slabs"].get<std::uint64_t>() * run["plan"]["slab_bytes"].get<std::uint64_t>();
    CHECK(run["predicted"]["staging_bytes"] == staging);
    CHECK(run["memory"]["staging"].get<std::uint64_t>() <= staging);
    CHECK(run["samples"]["consumed"] == 128);
    CHECK(run["samples"]["unused"] == 0);  // the epochs have ended
    CHECK(run["samples"]["conserved"] == true);
    const auto& predicted = run["predicted"];
    CHECK(predicted["samples_per_s"] > 0);
    CHECK(predicted["data_readiness"] <= 1);
    CHECK(predicted["consumer_wait"] <= 1);
    const auto peak = predicted["peak_staging_bytes"].get<std::uint64_t>();
    CHECK(peak > 0);
    CHECK(peak <= staging);
    CHECK(run["predicted_off"]["peak_staging_bytes"].get<double>() ==
          Approx(run["memory"]["staging"].get<double>() / static_cast<double>(peak) - 1)
              .margin(1e-12));
    const double off = run["throughput"]["samples_per_s"].get<double>() /
                           predicted["samples_per_s"].get<double>() -
                       1;
    CHECK(run["predicted_off"]["samples_per_s"].get<double>() == Approx(off));
  }
}

TEST_CASE("headline, marks, advice and Next of a sweep agree", "[sweep]") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "sweep.json";
  // Whatever the machine does: a depth, or too noisy to tell. The bound cuts 4, 8 and 16 to 4.
  const auto outcome = weir::test::weir(
      {"sweep", "synthetic:64,16x16", "--size", "16x16", "--batch", "8", "--consumer-ms", "2",
       "--epochs", "1", "--rounds", "3", "--max-queue-bytes", "30KiB", "--quiet", "--json", file});
  REQUIRE(outcome.exit_code == 0);
  const auto json = Json::parse(read_file(file));
  check_sweep(json, outcome.out);
  CHECK(json["runs"].size() == 9);
  REQUIRE(json["by_depth"].size() == 3);
  CHECK(json["by_depth"][2]["max_queue_size"] == 4);
  CHECK(contains(outcome.out, "--max-queue-bytes allows max_queue_size 4, not 16.\n"));
}

TEST_CASE("a failing depth fails the sweep, and is in the table", "[sweep]") {
  const TemporaryFolder folder;
  folder.write("bad.jpg", "no image");
  const auto outcome = weir::test::weir({"sweep", folder.path(), "--max-queue-size", "1,2"});
  CHECK(outcome.exit_code == 1);
  CHECK(contains(outcome.out, "max_queue_size 2: "));
}

TEST_CASE("an impossible sweep says why once and is a usage error", "[sweep]") {
  const auto outcome = weir::test::weir(
      {"sweep", "synthetic:8,8x8", "--max-queue-size", "1,2", "--memory-budget", "1MiB"});
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.find("weir: ") == outcome.err.rfind("weir: "));
}

TEST_CASE("an interrupted sweep tells what it has", "[sweep]") {
  const auto outcome = weir_interrupted(
      {"sweep", "synthetic:1000,16x16", "--sizes", "padded", "--epochs", "1000", "--consumer-ms",
       "2", "--max-queue-size", "1,2", "--json", "-", "--metrics-port", "0"},
      runs);
  CHECK(outcome.exit_code == 130);
  REQUIRE_FALSE(outcome.json().is_discarded());
  CHECK(outcome.json()["interrupted"] == true);
  CHECK(outcome.json()["runs"].size() == 1);
  CHECK(outcome.json()["runs"][0]["interrupted"] == true);
}

TEST_CASE("a sweep without --epochs runs two seconds at each depth", "[sweep]") {
  const auto outcome =
      weir::test::weir({"sweep", "synthetic:16,16x16", "--size", "16x16", "--batch", "8",
                        "--max-queue-size", "2", "--consumer-ms", "30", "--quiet", "--json", "-"});
  REQUIRE(outcome.exit_code == 0);
  const auto json = outcome.json();
  CHECK(json["runs"].size() == 3);
  CHECK(json["by_depth"][0]["seconds"] >= 2);
  for (const auto& run : json["runs"]) {
    CHECK(run["throughput"]["seconds"] >= 0.69);
    // Nobody uses what was drawn after the last whole epoch.
    const auto samples = run["samples"];
    const auto consumed = samples["consumed"].get<int>(), unused = samples["unused"].get<int>();
    CHECK(consumed % 16 == 0);
    CHECK(unused == samples["drawn"].get<int>() - consumed);
    CHECK(unused >= 0);
    CHECK(unused <= 3 * 8);  // a queue of two and one lease
  }
}

TEST_CASE("what a sweep computes once stands before the word --", "[sweep]") {
  const auto outcome =
      weir::test::weir({"sweep", "--size", "8x8", "--rounds", "1", "--epochs", "1",
                        "--max-queue-size", "1", "--max-sample-bytes", "measured", "--cache",
                        "decoded", "--json", "-", "--", "synthetic:8,8x8"});
  CAPTURE(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  const auto plan = outcome.json()["runs"][0]["plan"];
  CHECK(plan["budget_bytes"].is_number());
  CHECK(plan["max_sample_bytes"].is_number());
}

TEST_CASE("single runs of a sweep allow no conclusion", "[sweep]") {
  const auto outcome =
      weir::test::weir({"sweep", "synthetic:16,16x16", "--size", "16x16", "--batch", "8",
                        "--rounds", "1", "--epochs", "1", "--max-queue-size", "1,2", "--quiet"});
  CHECK(outcome.exit_code == 0);
  CHECK(contains(outcome.out, "there is no conclusion"));
  CHECK(contains(outcome.out, "\nNext: weir tune synthetic:16,16x16 "));
  CHECK_FALSE(contains(outcome.out, "enough"));
}
