#include <cmath>

#include "program.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/skip.hpp"

using namespace weir::test;
using Arguments = std::vector<std::string>;

namespace {

std::string digest(const std::string& data, Arguments options) {
  options.insert(options.begin(), {"run", data, "--epochs", "2", "--digest", "--json", "-"});
  const auto outcome = weir::test::weir(options);
  REQUIRE(outcome.exit_code == 0);
  return outcome.json()["digest"].get<std::string>();
}

}  // namespace

TEST_CASE("each place in the queue costs one slab, on real photographs", "[photos]") {
  const auto photos = test_data("photos");
  if (!photos) {
    skip("WEIR_TEST_DATA is not set");
    return;
  }
  const auto outcome =
      weir::test::weir({"sweep", *photos, "--batch", "32", "--max-queue-size", "1,2,4,8,16",
                        "--epochs", "12", "--consumer-ms", "50", "--rounds", "1", "--json", "-"});
  REQUIRE(outcome.exit_code == 0);
  const auto json = outcome.json();
  REQUIRE(json["runs"].size() == 5);
  for (const auto& run : json["runs"]) {
    CAPTURE(run["plan"]["max_queue_size"].get<int>());
    const auto slab = run["plan"]["slab_bytes"].get<std::uint64_t>();
    const auto all = run["plan"]["slabs"].get<std::uint64_t>() * slab;
    const auto staging = run["memory"]["staging"].get<std::uint64_t>();
    CHECK(run["predicted"]["staging_bytes"] == all);
    CHECK(staging % slab == 0);
    CHECK(staging <= all);
    CHECK(run["samples"]["consumed"] == 2400);
    CHECK(run["samples"]["conserved"] == true);
    // A deep queue fills only if the machine decodes faster than the consumer takes batches.
    if (run["queue"]["occupancy"].back().get<double>() == 0) continue;
    CHECK(staging == all);
    const auto& at_peak = run["memory"]["at_peak"];
    std::uint64_t staging_at_peak = 0;
    for (const auto* account : {"filling", "ready", "leased", "idle"})
      staging_at_peak += at_peak[account].get<std::uint64_t>();
    CHECK(staging_at_peak == all);
  }
}

TEST_CASE("the process grows as the books do at each depth, with photos", "[photos]") {
  const auto photos = test_data("photos");
  if (!photos) {
    skip("WEIR_TEST_DATA is not set");
    return;
  }
  const auto outcome = weir::test::weir({"sweep", *photos, "--batch", "64", "--max-queue-size",
                                         "1,2,4,8,16", "--steps", "24", "--consumer-ms", "250",
                                         "--settle", "--rounds", "1", "--json", "-"});
  REQUIRE(outcome.exit_code == 0);
  const auto json = outcome.json();
  REQUIRE(json["runs"].size() == 5);
  for (const auto& run : json["runs"]) {
    CAPTURE(run["plan"]["max_queue_size"].get<int>());
    const auto& memory = run["memory"];
    // A deep queue fills only if the machine decodes faster than the consumer takes batches. If the last
    // batch of the run fills it, for one step of 24, no further slab is needed.
    if (run["queue"]["occupancy"].back().get<double>() > 0.05)
      CHECK(memory["staging"] == run["predicted"]["staging_bytes"]);
    const auto peak = memory["peak"].get<double>();
    const auto unaccounted = memory["process"]["unaccounted"].get<double>();
    CAPTURE(peak, unaccounted);
    CHECK(std::abs(unaccounted) <= 0.03 * peak + 8.0 * (1 << 20));
  }
}

TEST_CASE("a queue of photos at rest holds as many slabs as it is deep", "[photos]") {
  const auto photos = test_data("photos");
  if (!photos) {
    skip("WEIR_TEST_DATA is not set");
    return;
  }
  const int depth = GENERATE(1, 2, 4, 8, 16);
  CAPTURE(depth);
  const auto json = weir::test::weir({"run", *photos, "--steps", "3", "--settle",
                                      "--max-queue-size", std::to_string(depth), "--json", "-"})
                        .json();
  const auto slab = json["plan"]["slab_bytes"].get<std::uint64_t>();
  CHECK(json["memory"]["accounts"]["ready"] == static_cast<std::uint64_t>(depth) * slab);
  CHECK(json["memory"]["staging"].get<std::uint64_t>() <=
        (static_cast<std::uint64_t>(depth) + 1) * slab);
}

TEST_CASE("photographs give one digest under any workers or budget", "[photos]") {
  const auto photos = test_data("photos");
  if (!photos) {
    skip("WEIR_TEST_DATA is not set");
    return;
  }
  const auto order =
      GENERATE(Arguments{}, Arguments{"--shuffle"}, Arguments{"--fit", "random", "--shuffle"});
  CAPTURE(order);
  const auto with = [&](Arguments options) {
    options.insert(options.end(), order.begin(), order.end());
    return digest(*photos, options);
  };
  const auto expected = with({"--workers", "1", "--max-queue-size", "1"});
  CHECK(with({"--workers", "2", "--max-queue-size", "16"}) == expected);
  CHECK(with({"--workers", "7", "--max-queue-size", "16", "--read-ahead", "8"}) == expected);
  CHECK(with({"--workers", "7", "--memory-budget", "64MiB", "--read-ahead", "8"}) == expected);
  CHECK(digest(*photos, {"--seed", "5", "--fit", "random", "--shuffle"}) != expected);
}

TEST_CASE("no law breaks over photographs, odd and hostile files", "[photos]") {
  const std::string folder = GENERATE("photos", "odd", "hostile");
  const std::string policy = GENERATE("skip", "blank");
  const auto data = test_data(folder);
  if (!data) {
    skip("WEIR_TEST_DATA is not set");
    return;
  }
  CAPTURE(folder, policy);
  const auto outcome =
      weir::test::weir({"verify", *data, "--on-fault", policy, "--epochs", "3", "--json", "-"});
  CHECK(outcome.exit_code == 0);
  const auto json = outcome.json();
  REQUIRE_FALSE(json.is_discarded());
  CHECK(json["verify"]["breaches"] == 0);
}
