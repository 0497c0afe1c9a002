#include "program.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"

using weir::test::contains;

namespace {

namespace test = weir::test;

const std::string images = "synthetic:60,40x50";

weir::test::Json json_of(std::vector<std::string> words) {
  words.insert(words.end(), {"--json", "-"});
  const auto outcome = test::weir(words);
  CAPTURE(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  return outcome.json();
}

}  // namespace

TEST_CASE("a cache: samples are read once, and the report says so") {
  const auto plain =
      json_of({"run", images, "--epochs", "3", "--digest", "--batch", "10", "--workers", "1"});
  CHECK(plain["cache"].is_null());
  for (const std::string keep : {"encoded", "decoded"}) {
    const auto json = json_of({"run", images, "--epochs", "3", "--digest", "--batch", "10",
                               "--workers", "1", "--cache", keep + ":64MiB"});
    CHECK(json["digest"] == plain["digest"]);
    const auto& cache = json["cache"];
    CHECK(cache["keep"] == keep);
    CHECK(cache["requested_bytes"] == 64u << 20);
    CHECK(cache["most_bytes"] == 64u << 20);
    const auto& held = cache["held"];
    CHECK(held["samples"] == 60);
    CHECK(held["hits"] == 120);
    CHECK(held["misses"] == 60);
    CHECK(held["evicted"] == 0);
    CHECK(held["bytes"] == json["memory"]["accounts"]["cache"]);
    CHECK(json["stages"][0]["count"] == 60);
    CHECK(json["stages"][2]["count"] == (keep == "encoded" ? 180 : 60));
  }
}

TEST_CASE("a cache: in words, and in a plan") {
  const auto run =
      test::weir({"run", images, "--epochs", "3", "--workers", "1", "--cache", "encoded:64MiB"});
  CHECK(run.exit_code == 0);
  CHECK(contains(run.out, "cache of encoded samples: at most 64.00 MiB"));
  CHECK(contains(run.out, "; 120 of 180 draws were hits, 66.7 %"));
  const auto plan = test::weir({"plan", "--memory-budget", "256MiB", "--cache", "decoded"});
  CHECK(contains(plan.out, "cache of decoded samples: "));
  const auto none = test::weir(
      {"plan", "synthetic:100000000,8x8", "--memory-budget", "256MiB", "--cache", "decoded"});
  CHECK(contains(none.out, "cache of decoded samples: none"));
}

TEST_CASE("a cache: what it cannot be is a usage error that names it") {
  for (const std::string bad : {"all", "encoded:", "encoded:0", "nothing:5MiB", "decoded:1:2"}) {
    const auto run = test::weir({"run", images, "--cache", bad});
    CHECK(run.exit_code == 2);
    CHECK(contains(run.err, "--cache"));
  }
  const auto random = test::weir({"run", images, "--fit", "random", "--cache", "decoded:1MiB"});
  CHECK(random.exit_code == 2);
  CHECK(contains(random.err, "--fit random"));
}

TEST_CASE("verify finds every law kept with a cache, even determinism") {
  // The rig of proof/soak tests eviction.
  for (const std::string keep : {"encoded", "decoded"}) {
    const std::vector<std::string> words{
        "verify",          images,  "--epochs",  "4", "--shuffle", "--batch", "8",
        "--memory-budget", "24MiB", "--workers", "2", "--cache",   keep};
    const auto run = test::weir(words);
    CHECK(run.exit_code == 0);
    CHECK(contains(run.out, "No breach."));
    CHECK(contains(run.out, "draws were hits"));
    CHECK(contains(run.out, "32 batches were delivered once more"));
    const auto json = json_of(words);
    CHECK(json["cache"]["held"]["hits"].get<int>() > 100);
    CHECK(json["verify"]["determinism"]["batches"] == 32);
    for (const auto& law : json["verify"]["laws"]) {
      CAPTURE(law.dump());
      CHECK(law["checks"].get<int>() > 0);
      CHECK(law["breaches"] == 0);
    }
  }
}

TEST_CASE("tune says what a cache would bring and pastes the given one") {
  const auto json = json_of({"tune", images, "--read-delay-ms", "2", "--memory-budget", "256MiB",
                             "--cache", "encoded:1MiB"});
  const auto& advice = json["advice"];
  CHECK(contains(advice["flags"].get<std::string>(), "--cache encoded:1MiB"));
  CHECK(contains(advice["code"].get<std::string>(),
                 "options.cache = {weir::Cache::encoded, 1048576};"));
  REQUIRE(advice["cache"].size() == 2);
  const auto& decoded = advice["cache"][1];
  CHECK(decoded["keep"] == "decoded");
  // 60 rows of 224 x 224 x 3, each with its head, in a segment of whole pages; and their table.
  CHECK(decoded["whole_bytes"] == 60 * (192 + 150'528 + 832) + 480);
  CHECK(decoded["bytes"] == 1u << 20);
  CHECK(decoded["share"].get<double>() < 0.2);
  CHECK(decoded["whole"]["samples_per_s"].get<double>() >=
        decoded["to"]["samples_per_s"].get<double>());
}
