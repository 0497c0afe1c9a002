#include <sstream>

#include "agreement.hpp"
#include "program.hpp"
#include "report/table.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"

using namespace weir::test;

namespace {

/// Small images, whose decoding takes far less time than the consumer.
std::vector<std::string> tuned(std::vector<std::string> options) {
  options.insert(options.begin(), {"tune", "synthetic:64,16x16", "--size", "16x16", "--batch", "4",
                                   "--workers", "2", "--quiet"});
  return options;
}

}  // namespace

TEST_CASE("tune says in text and JSON what bounds a run and what to set", "[tune]") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "tune.json";
  const auto outcome = weir::test::weir(tuned({"--consumer-ms", "60", "--json", file}));
  REQUIRE(outcome.exit_code == 0);
  CHECK(outcome.out.starts_with("Consumer-bound: the workers wait "));
  for (const auto* part :
       {"\nMeasured ", "a decode", "\nWhat to change, by gain\n", "your trainer, ",
        "options.queue.max_queue_size = ", "\nNext: weir run synthetic:64,16x16 "})
    CHECK(contains(outcome.out, part));
  for (const auto* part : {"No depth", "Change first", "recommended", "Regime"})
    CHECK_FALSE(contains(outcome.out, part));

  const auto json = Json::parse(read_file(file));
  CHECK(json["command"] == "tune");
  CHECK(json["consumer_ms"] == 60);
  CHECK(json["regime"] == "consumer");
  CHECK(contains(json["regime_why"].get<std::string>(), "the workers"));
  REQUIRE(json["runs"].size() == 1);
  CHECK(json["runs"][0]["samples"]["conserved"] == true);
  const auto& advice = json["advice"];
  const auto is_prediction = [](const auto& prediction) {
    for (const auto* figure :
         {"max_queue_size", "workers", "read_ahead", "batch", "samples_per_s", "consumer_wait",
          "data_readiness", "slabs", "staging_bytes", "peak_staging_bytes", "total_bytes"})
      CHECK(prediction[figure].is_number());
    CHECK(prediction["peak_staging_bytes"] <= prediction["staging_bytes"]);
    CHECK(prediction["regime"] == "consumer");
  };
  for (const auto* key : {"now", "recommended", "ceiling"}) is_prediction(advice[key]);
  REQUIRE(json["depths"].size() >= 4);
  bool has_the_setting_now = false;
  for (const auto& depth : json["depths"]) {
    const auto& predicted = depth["predicted"];
    is_prediction(predicted);
    CHECK(predicted["max_queue_size"] == depth["max_queue_size"]);
    CHECK(predicted["staging_bytes"] == depth["staging_bytes"]);
    CHECK(depth["float32_bytes"] > depth["float16_bytes"]);
    has_the_setting_now |= predicted == advice["now"];
  }
  CHECK(has_the_setting_now);
  CHECK(advice["now"]["max_queue_size"] == 4);
  CHECK(advice["now"]["workers"] == 2);
  CHECK(advice["recommended"]["max_queue_size"] <= 2);
  CHECK(advice["recommended"]["data_readiness"] >= 0.99);
  CHECK(advice["recommended"]["total_bytes"] <= advice["now"]["total_bytes"]);
  // A batch of 4 takes 60 ms.
  CHECK(advice["ceiling"]["samples_per_s"] <= 4 / 0.06);
  CHECK(advice["verdict"]["regime"] == "consumer");
  CHECK(advice["verdict"]["basis"] == "measured");
  // The headline, the list and the next command agree.
  CHECK(advice["headline"] == "Nothing in the loader makes this faster. " +
                                  advice["levers"][1]["sentence"].get<std::string>());
  const auto next = json["next"].get<std::string>();
  CHECK(next.ends_with(advice["levers"][1]["flag"].get<std::string>()));
  CHECK(contains(outcome.out, "\nNothing in the loader makes this faster. "));
  CHECK(contains(outcome.out, ", fit center, 2 workers"));
  CHECK(contains(outcome.out, "\nSamples\n  drawn "));
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);)
    CHECK((line.starts_with("Next: ") || weir::report::display_width(line) <= 80));
  check_tune(json, outcome.out);
  REQUIRE(advice["levers"].size() == 2);
  CHECK(advice["levers"][0]["change"] == "trainer");
  CHECK(advice["levers"][1]["bytes"] < 0);
  CHECK(contains(outcome.out, advice["levers"][1]["flag"].get<std::string>()));
  CHECK(json["grid"]["points"].size() > 10);
}

TEST_CASE("tune measures slow reads at once and predicts as asked", "[tune]") {
  const auto outcome =
      weir::test::weir(tuned({"--read-delay-ms", "40", "--consumer-ms", "10", "--json", "-"}));
  REQUIRE(outcome.exit_code == 0);
  const auto json = outcome.json();
  CHECK(json["regime"] == "storage");
  CHECK(contains(json["regime_why"].get<std::string>(), "read_ahead 0"));
  CHECK(json["runs"][0]["plan"]["read_ahead"] > 0);
  const auto& advice = json["advice"];
  CHECK(advice["now"]["read_ahead"] == 0);
  CHECK(advice["verdict"]["basis"] == "predicted");
  // On a busy machine decoding takes a larger part.
  CHECK(advice["levers"][0]["gain"] > 1.2);
  CHECK(advice["levers"][0]["bytes"] < 8 << 20);
  // Two workers, 40 ms for each read.
  CHECK(advice["now"]["samples_per_s"] < 51);
  CHECK(advice["recommended"]["read_ahead"] > 0);
  CHECK(advice["recommended"]["samples_per_s"] >
        1.2 * advice["now"]["samples_per_s"].get<double>());
}

TEST_CASE("advice keeps to --memory-budget and --target-readiness", "[tune]") {
  const auto outcome = weir::test::weir(tuned({"--memory-budget", "16MiB", "--target-readiness",
                                               "90%", "--consumer-ms", "20", "--json", "-"}));
  REQUIRE(outcome.exit_code == 0);
  const auto advice = outcome.json()["advice"];
  CHECK(advice["recommended"]["total_bytes"] <= 16u << 20);
  CHECK(advice["ceiling"]["total_bytes"] <= 16u << 20);
  CHECK(contains(advice["flags"].get<std::string>(), "--memory-budget 16MiB"));
  CHECK(weir::test::weir(tuned({"--target-readiness", "1.5"})).exit_code == 2);
  CHECK(weir::test::weir(tuned({"--memory-budget", "1MiB"})).exit_code == 2);
}

TEST_CASE("a consumer's trace is replayed, over and over", "[tune]") {
  const TemporaryFolder folder;
  const auto trace = folder.write("trace", "80\n\n 20 \n20\n20\n20\n20\n20\n20\n");
  const auto run = weir::test::weir({"run", "synthetic:64,16x16", "--size", "16x16", "--batch", "8",
                                     "--consumer-trace", trace, "--json", "-", "--quiet"});
  REQUIRE(run.exit_code == 0);
  const auto tune = weir::test::weir(tuned({"--consumer-trace", trace, "--json", "-"}));
  REQUIRE(tune.exit_code == 0);
  // A batch of 4 takes 27.5 ms on average, and on a busy machine more, but not as much as the first.
  CHECK(tune.json()["advice"]["ceiling"]["samples_per_s"] <= 4 / 0.0275);
  CHECK(tune.json()["advice"]["ceiling"]["samples_per_s"] >= 4 / 0.078);
  const auto bad = folder.write("bad", "80\nsoon\n");
  const auto refused = weir::test::weir(tuned({"--consumer-trace", bad}));
  CHECK(refused.exit_code == 2);
  CHECK(contains(refused.err, "line 2"));
}

TEST_CASE("moves of automatic tuning are printed at once with reasons", "[tune]") {
  const auto outcome = weir::test::weir({"run", "synthetic:64,16x16", "--size", "16x16", "--batch",
                                         "4", "--workers", "1", "--tuning", "automatic",
                                         "--read-delay-ms", "40", "--steps", "240", "--json", "-"});
  REQUIRE(outcome.exit_code == 0);
  const auto moves = outcome.json()["moves"];
  REQUIRE(!moves.empty());
  CHECK(contains(outcome.err, "read_ahead 0 to "));
  CHECK(contains(outcome.err, " of the time (measured now: "));
  for (const auto& move : moves) CHECK(contains(outcome.err, move.get<std::string>() + '\n'));
}

TEST_CASE("a consumer has one time, or a trace of them", "[tune]") {
  const TemporaryFolder folder;
  const auto trace = folder.write("trace", "80\n");
  for (const auto* command : {"run", "sweep", "tune"}) {
    const auto refused = weir::test::weir(
        {command, "synthetic:8,16x16", "--consumer-ms", "0", "--consumer-trace", trace});
    CHECK(refused.exit_code == 2);
    CHECK(refused.err == "weir: --consumer-ms and --consumer-trace exclude each other\n");
  }
}

TEST_CASE("tuning what cannot be read fails and says why", "[tune]") {
  const TemporaryFolder folder;
  folder.write("bad.jpg", "no image");
  const auto outcome = weir::test::weir({"tune", folder.path(), "--quiet"});
  CHECK(outcome.exit_code == 1);
  CHECK(contains(outcome.err, "bad.jpg"));
}

TEST_CASE("tuning that is interrupted ends with 130", "[tune]") {
  const auto outcome = weir_interrupted(tuned({"--consumer-ms", "500", "--json", "-"}));
  CHECK(outcome.exit_code == 130);
  CHECK(outcome.json()["advice"].is_null());
}

TEST_CASE("a run ends with the verdict and the next command", "[run]") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "run.json";
  // Slow reads for more than a second: a basis for predictions.
  const auto run =
      weir::test::weir({"run", "synthetic:64,16x16", "--size", "16x16", "--batch", "4", "--workers",
                        "2", "--read-delay-ms", "40", "--quiet", "--json", file});
  REQUIRE(run.exit_code == 0);
  const auto json = Json::parse(read_file(file));
  CHECK(json["verdict"].get<std::string>().starts_with("Storage-bound: the consumer waits "));
  CHECK(json["verdict"] == json["advice"]["verdict"]["sentence"]);
  CHECK(json["advice"]["verdict"]["basis"] == "measured");
  const auto next = json["next"].get<std::string>();
  CHECK(next.starts_with("weir run synthetic:64,16x16 --size 16x16 --batch 4 --workers 2 "));
  CHECK(contains(run.out, "\nStorage-bound: the consumer waits "));
  CHECK(run.out.ends_with("\nNext: " + next + '\n'));
  // Too short: tune measures.
  const auto brief = weir::test::weir({"run", "synthetic:8,16x16", "--size", "16x16", "--quiet"});
  CHECK(brief.out.ends_with("\nNext: weir tune synthetic:8,16x16 --size 16x16\n"));
  CHECK(json["advice"]["levers"][0]["gain"] > 4);
}
