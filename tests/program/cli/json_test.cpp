#include <algorithm>
#include <cmath>

#include "program.hpp"
#include "support/catch.hpp"

using namespace weir::test;

namespace {

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> names;
  for (const auto& [key, value] : object.items()) names.push_back(key);
  return names;
}

}  // namespace

TEST_CASE("every command writes the same envelope", "[json]") {
  const std::vector<std::string> common{"schema", "version", "command", "plan",
                                        "memory", "samples", "queue",   "throughput",
                                        "stages", "regime",  "faults",  "digest"};
  const std::string command = GENERATE("plan", "probe", "run", "verify");
  CAPTURE(command);
  const auto outcome = weir::test::weir(
      {command, "synthetic:24,16x16", "--size", "16x16", "--batch", "8", "--json", "-"});
  CHECK(outcome.exit_code == 0);
  const auto json = outcome.json();
  REQUIRE_FALSE(json.is_discarded());
  auto names = keys(json);
  REQUIRE(names.size() >= common.size());
  names.resize(common.size());
  CHECK(names == common);
  CHECK(json["command"] == command);
  CHECK("weir " + json["version"].get<std::string>() + '\n' == weir::test::weir({"--version"}).out);
}

TEST_CASE("a run's figures agree with one another", "[json]") {
  const auto json =
      weir::test::weir({"run", "synthetic:40,16x16", "--size", "16x16", "--batch", "8", "--epochs",
                        "3", "--max-queue-size", "2", "--workers", "2", "--json", "-"})
          .json();
  REQUIRE_FALSE(json.is_discarded());
  CHECK(json["plan"]["batch"] == 8);
  CHECK(json["plan"]["workers"] == 2);
  CHECK(json["plan"]["max_queue_size"] == 2);
  CHECK(json["plan"]["slabs"] == 3);
  REQUIRE(json["depths"].size() == 5);  // 1, 2, 4, 8 and 16
  CHECK(json["depths"][1]["max_queue_size"] == 2);
  CHECK(json["depths"][1]["staging_bytes"] == 3 * json["plan"]["slab_bytes"].get<std::uint64_t>());
  CHECK(json["samples"]["drawn"] == 120);
  CHECK(json["samples"]["consumed"] == 120);
  CHECK(json["samples"]["conserved"] == true);
  std::uint64_t live = 0, peak = 0;
  for (const auto& [account, bytes] : json["memory"]["accounts"].items())
    live += bytes.get<std::uint64_t>();
  for (const auto& [account, bytes] : json["memory"]["at_peak"].items())
    peak += bytes.get<std::uint64_t>();
  CHECK(json["memory"]["live"] == live);
  CHECK(json["memory"]["peak"] == peak);
  const auto& process = json["memory"]["process"];
  CHECK(process["unaccounted"].get<std::int64_t>() ==
        process["rss_peak"].get<std::int64_t>() - process["rss_before"].get<std::int64_t>() -
            static_cast<std::int64_t>(peak));
  CHECK(process["pss_peak"].get<std::uint64_t>() > 0);
  CHECK(json["throughput"]["samples_per_s"].get<double>() > 0);
  double occupied = 0;
  for (const auto& share : json["queue"]["occupancy"]) occupied += share.get<double>();
  CHECK(std::abs(occupied - 1.0) < 0.01);
  const auto& queue = json["queue"];
  double worked = 0;
  for (const auto& [kind, time] : queue["workers"].items()) worked += time.get<double>();
  CHECK(worked == Approx(2 * queue["seconds"].get<double>()).epsilon(0.02));
  CHECK(queue["storage_wait_s"].get<double>() + queue["decode_wait_s"].get<double>() +
            queue["memory_wait_s"].get<double>() ==
        Approx(queue["consumer_wait_s"].get<double>()));
  CHECK(queue["batches"] == 15);
  CHECK(queue["consumer"]["count"] == 15);
  CHECK(json["stages"][0]["count"] == 120);
  const std::vector<std::string> regimes{"storage", "decode",   "consumer",
                                         "memory",  "balanced", "cpu"};
  CHECK(std::ranges::count(regimes, json["regime"].get<std::string>()) == 1);
  CHECK(json["regime_why"].get<std::string>().starts_with("of "));
  CHECK(json["stats_cost"]["readings_per_sample"].get<double>() >= 3);
}

TEST_CASE("JSON to a file leaves the text on stdout", "[json]") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "report.json";
  const auto outcome = weir::test::weir({"run", "synthetic:8,16x16", "--json", file});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out.starts_with("8 samples in "));
  CHECK(outcome.out.find("Regime") == std::string::npos);  // one batch tells nothing
  CHECK(Json::parse(read_file(file))["samples"]["consumed"] == 8);
}

TEST_CASE("probe counts formats and lists every bad file", "[json]") {
  const auto json = weir::test::weir({"probe", "synthetic:30,24x32", "--json", "-"}).json();
  CHECK(json["probe"]["files"] == 30);
  CHECK(json["probe"]["sound"] == 30);
  CHECK(json["probe"]["formats"]["jpeg"] == 30);
  CHECK(json["faults"].empty());
}
