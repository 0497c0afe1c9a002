#include "program.hpp"
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
  CHECK(outcome.out.starts_with(
      "Memory in MiB and throughput, measured, by queue depth\nqueue  limit"));
  CHECK(contains(outcome.out, "samples/s predicted"));
  CHECK(contains(outcome.out, "MiB of slabs: limit  peak: predicted  measured"));
  CHECK(contains(outcome.out, "Predicted limit of any depth"));
  // The levers are those of the depth that is enough, and the next command has it.
  CHECK(contains(outcome.out, "What to change"));
  for (const auto* part : {"Advice", "Now, with", "Change first"})
    CHECK_FALSE(contains(outcome.out, part));
  const auto json = Json::parse(read_file(file));
  CHECK(json["command"] == "sweep");
  CHECK(json["limit"]["samples_per_s"] > 0);
  REQUIRE(json["by_depth"].size() == 2);
  CHECK(json["by_depth"][0]["runs"] == 3);
  CHECK(json["verdict"] == json["conclusion"]["sentence"]);
  const auto depth = json["conclusion"]["max_queue_size"].get<int>();
  CHECK(contains(outcome.out, "\nFrom max_queue_size " + std::to_string(depth) + ":\n"));
  CHECK(json["advice"]["now"]["max_queue_size"] == depth);
  const auto next = json["next"].get<std::string>();
  CHECK(contains(next, "synthetic:64,16x16 --size 16x16 --batch 8 --epochs 2 --consumer-ms 5 --"));
  CHECK(contains(next, "--max-queue-size "));
  CHECK(outcome.out.ends_with("\nNext: " + next + '\n'));
  // In words that the terminal's width may break.
  CHECK(contains(outcome.out, json["verdict"].get<std::string>().substr(0, 40)));
  CHECK(json["consumer_ms"] == 5);
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
    CHECK(run["samples"]["consumed"].get<int>() % 16 == 0);
  }
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
