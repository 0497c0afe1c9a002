#include "program.hpp"
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

TEST_CASE("tune says what bounds the run and what to set, as text and as JSON", "[tune]") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "tune.json";
  const auto outcome = weir::test::weir(tuned({"--consumer-ms", "60", "--json", file}));
  REQUIRE(outcome.exit_code == 0);
  CHECK(outcome.out.starts_with("Regime: consumer\n"));
  for (const auto* part : {"Measured ", "a decode", "Advice\n", "The consumer bounds this",
                           "recommended", "To paste\n", "options.queue.max_queue_size = "})
    CHECK(contains(outcome.out, part));

  const auto json = Json::parse(read_file(file));
  CHECK(json["command"] == "tune");
  CHECK(json["consumer_ms"] == 60);
  CHECK(json["regime"] == "consumer");
  CHECK(contains(json["regime_why"].get<std::string>(), "the producers"));
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
  bool has_the_recommended = false;
  for (const auto& depth : json["depths"]) {
    const auto& predicted = depth["predicted"];
    is_prediction(predicted);
    CHECK(predicted["max_queue_size"] == depth["max_queue_size"]);
    CHECK(predicted["staging_bytes"] == depth["uint8_bytes"]);
    CHECK(depth["float32_bytes"] > depth["float16_bytes"]);
    has_the_recommended |= predicted == advice["recommended"];
  }
  CHECK(has_the_recommended);
  CHECK(advice["now"]["max_queue_size"] == 4);
  CHECK(advice["now"]["workers"] == 2);
  CHECK(advice["recommended"]["max_queue_size"] <= 2);
  CHECK(advice["recommended"]["data_readiness"] >= 0.99);
  CHECK(advice["recommended"]["total_bytes"] <= advice["now"]["total_bytes"]);
  // A batch of 4 takes 60 ms.
  CHECK(advice["ceiling"]["samples_per_s"] <= 4 / 0.06);
  REQUIRE(!advice["steps"].empty());
  CHECK(advice["steps"][0]["change"].is_string());
  CHECK(advice["steps"][0]["to"]["slabs"].is_number());
  CHECK(!advice["sentences"].empty());
  CHECK(contains(outcome.out, advice["flags"].get<std::string>()));
}

TEST_CASE("slow reads are measured side by side and predicted as asked for", "[tune]") {
  const auto outcome =
      weir::test::weir(tuned({"--read-delay-ms", "40", "--consumer-ms", "10", "--json", "-"}));
  REQUIRE(outcome.exit_code == 0);
  const auto json = outcome.json();
  CHECK(json["regime"] == "storage");
  CHECK(contains(json["regime_why"].get<std::string>(), "read_ahead 0"));
  CHECK(json["runs"][0]["plan"]["read_ahead"] > 0);
  const auto& advice = json["advice"];
  CHECK(advice["now"]["read_ahead"] == 0);
  // Two workers, 40 ms for each read.
  CHECK(advice["now"]["samples_per_s"] < 51);
  CHECK(advice["recommended"]["read_ahead"] >= 8);
  CHECK(advice["recommended"]["samples_per_s"] > 4 * advice["now"]["samples_per_s"].get<double>());
}

TEST_CASE("advice keeps to --memory-budget and --target-readiness", "[tune]") {
  const auto outcome = weir::test::weir(tuned({"--memory-budget", "16MiB", "--target-readiness",
                                               "90%", "--consumer-ms", "20", "--json", "-"}));
  REQUIRE(outcome.exit_code == 0);
  const auto advice = outcome.json()["advice"];
  CHECK(advice["recommended"]["total_bytes"] <= 16u << 20);
  CHECK(advice["ceiling"]["total_bytes"] <= 16u << 20);
  CHECK(contains(advice["flags"].get<std::string>(), "--memory-budget 16777216"));
  CHECK(weir::test::weir(tuned({"--target-readiness", "1.5"})).exit_code == 2);
  CHECK(weir::test::weir(tuned({"--memory-budget", "1MiB"})).exit_code == 2);
}

TEST_CASE("a consumer's trace is replayed, over and over", "[tune]") {
  const TemporaryFolder folder;
  const auto trace = folder.write("trace", "80\n\n 20 \n");
  const auto run = weir::test::weir({"run", "synthetic:64,16x16", "--size", "16x16", "--batch", "8",
                                     "--consumer-trace", trace, "--json", "-", "--quiet"});
  REQUIRE(run.exit_code == 0);
  const auto tune = weir::test::weir(tuned({"--consumer-trace", trace, "--json", "-"}));
  REQUIRE(tune.exit_code == 0);
  // A batch of 4 takes 50 ms on average, never less.
  CHECK(tune.json()["advice"]["ceiling"]["samples_per_s"] <= 4 / 0.05);
  CHECK(tune.json()["advice"]["ceiling"]["samples_per_s"] >= 4 / 0.08);
  const auto bad = folder.write("bad", "80\nsoon\n");
  const auto refused = weir::test::weir(tuned({"--consumer-trace", bad}));
  CHECK(refused.exit_code == 2);
  CHECK(contains(refused.err, "line 2"));
}

TEST_CASE("moves of automatic tuning are told as they are made, with their reasons", "[tune]") {
  const auto outcome = weir::test::weir({"run", "synthetic:64,16x16", "--size", "16x16", "--batch",
                                         "4", "--workers", "1", "--tuning", "automatic",
                                         "--read-delay-ms", "40", "--steps", "240", "--json", "-"});
  REQUIRE(outcome.exit_code == 0);
  const auto moves = outcome.json()["moves"];
  REQUIRE(!moves.empty());
  CHECK(contains(outcome.err, "read_ahead 0 to "));
  CHECK(contains(outcome.err, " of the time (now "));
  for (const auto& move : moves) CHECK(contains(outcome.err, move.get<std::string>() + '\n'));
}

TEST_CASE("a consumer has one time, or a trace of them", "[tune]") {
  const TemporaryFolder folder;
  const auto trace = folder.write("trace", "80\n");
  for (const auto* command : {"run", "sweep", "tune", "plan"}) {
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
  const auto outcome = weir_interrupted(tuned({"--consumer-ms", "500", "--json", "-"}), 400);
  CHECK(outcome.exit_code == 130);
  CHECK(outcome.json()["advice"].is_null());
}
