// Two loaders under one budget, as in `weir verify DATA --beside DATA2`.
#include <algorithm>
#include <string>

#include "program.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "support/text.hpp"

using namespace weir::test;

namespace {

using Words = std::vector<std::string>;

const std::string first = "synthetic:160,60x80", second = "synthetic:120,90x70";

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// The smallest budget of one loader.
std::uint64_t floor_of(const std::string& folder, const Words& options) {
  return weir::test::weir(Words{"plan", folder, "--json", "-"} + options)
      .json()["plan"]["floor_bytes"]
      .get<std::uint64_t>();
}

Outcome soak(std::uint64_t budget, const Words& options) {
  return weir::test::weir(Words{"verify", first, "--beside", second, "--memory-budget",
                                std::to_string(budget), "--json", "-"} +
                          options);
}

void check_laws(const Json& verify) {
  CHECK(verify["breaches"] == 0);
  for (const auto& law : verify["laws"]) {
    CAPTURE(law.dump());
    CHECK(law["checks"].get<int>() > 0);
    CHECK(law["breaches"] == 0);
  }
}

/// Samples that waited for bytes.
std::uint64_t waits(const Json& run) { return run["stages"][1]["count"].get<std::uint64_t>(); }

const std::vector<Words> kinds{{"--size", "48x48"},
                               {"--sizes", "padded"},
                               {"--sizes", "ragged"},
                               {"--sizes", "padded", "--bucket", "3"}};

}  // namespace

TEST_CASE("two loaders near their floors wait for bytes, break no law", "[verify]") {
  const auto which = GENERATE(0u, 1u, 2u, 3u);
  // With a slow consumer the queues fill on any machine.
  const Words planned =
      kinds[which] +
      Words{"--batch", "8",         "--shuffle", "--max-queue-size",   "3",    "--max-leases",
            "2",       "--workers", "3",         "--max-sample-bytes", "48KiB"};
  const auto options = planned + Words{"--epochs", "3", "--consumer-ms", "20"};
  const auto one = floor_of(first, planned), two = floor_of(second, planned);
  // In every second case the loaders compete for the memory of one sample.
  const auto budget = one + two + (which % 2 == 0 ? 0 : 30'000);
  const auto outcome = soak(budget, options);
  CAPTURE(kinds[which], outcome.err);
  REQUIRE(outcome.exit_code == 0);
  const auto json = outcome.json();
  const auto& beside = json["beside"];
  CHECK(json["data"] == first);
  CHECK(beside["data"] == second);
  CHECK(json["samples"]["consumed"] == 3 * 160);
  CHECK(beside["samples"]["consumed"] == 3 * 120);
  CHECK(json["verify"]["determinism"]["batches"] == 3 * 20);
  CHECK(beside["verify"]["determinism"]["batches"] == 3 * 15);
  check_laws(json["verify"]);
  check_laws(beside["verify"]);
  const auto& shared = json["shared"];
  CHECK(shared["breaches"] == 0);
  CHECK(shared["budget_bytes"] == budget);
  CHECK(shared["promised_bytes"] == one + two);
  const std::uint64_t peak = shared["peak"].get<std::uint64_t>();
  CHECK(peak <= budget);
  CAPTURE(peak, budget, waits(json), waits(beside));
  CHECK((waits(json) + waits(beside) > 0 || peak > budget / 100 * 85));
}

TEST_CASE("two loaders with caches that give way break no law", "[verify][cache]") {
  const auto [kind, keep] =
      GENERATE(table<unsigned, std::string>({{1u, "decoded"}, {2u, "encoded"}}));
  // Few slabs are in use while the caches fill. Then the consumers stall, and the queues need their slabs.
  std::string steps;
  for (int step = 0; step < 46; ++step) steps += step < 40 ? "0\n" : "80\n";
  const TemporaryFolder folder;
  const auto trace = folder.write("trace", steps);
  const Words words{"verify",
                    "synthetic:400,60x80",
                    "--beside",
                    "synthetic:300,90x70",
                    "--memory-budget",
                    "3000KiB",
                    "--batch",
                    "8",
                    "--epochs",
                    "3",
                    "--shuffle",
                    "--max-queue-size",
                    "4",
                    "--workers",
                    "1",
                    "--max-sample-bytes",
                    "64KiB",
                    "--consumer-trace",
                    trace,
                    "--cache",
                    keep,
                    "--json",
                    "-"};
  const auto outcome = weir::test::weir(words + kinds[kind]);
  CAPTURE(kinds[kind], keep, outcome.err);
  REQUIRE(outcome.exit_code == 0);
  const auto json = outcome.json();
  check_laws(json["verify"]);
  check_laws(json["beside"]["verify"]);
  const auto &a = json["cache"]["held"], &b = json["beside"]["cache"]["held"];
  CAPTURE(a.dump(), b.dump());
  CHECK(a["hits"].get<int>() > 0);
  CHECK(b["hits"].get<int>() > 0);
  CHECK(a["evicted"].get<int>() + b["evicted"].get<int>() > 0);
}

TEST_CASE("two loaders are both named and a budget for one is refused", "[verify]") {
  const Words options{"--size", "32x32", "--max-sample-bytes", "256KiB", "--workers", "2"};
  const auto both = floor_of(first, options) + floor_of(second, options);
  const auto text = weir::test::weir(
      Words{"verify", first, "--beside", second, "--memory-budget", std::to_string(both)} +
      options);
  CHECK(text.exit_code == 0);
  const auto at = text.out.find(first + "\n"), then = text.out.find(second + "\n");
  CHECK(at < then);
  CHECK(then != text.out.npos);
  CHECK(contains(text.out, "160 of 160 files attempted"));
  CHECK(contains(text.out, "120 of 120 files attempted"));
  CHECK(contains(text.out, "One budget of "));
  CHECK(contains(text.out, "No breach."));

  const auto refused = soak(both - 1, options);
  CHECK(refused.exit_code == 2);
  CHECK(contains(refused.err, "needs at least"));
  const auto none = weir::test::weir({"run", first, "--beside", second});
  CHECK(none.exit_code == 2);
  CHECK(contains(none.err, "--beside"));
}

TEST_CASE("one loader's error is reported and the other goes on", "[verify]") {
  const TemporaryFolder folder;
  for (int i = 0; i < 3; ++i) folder.write(std::to_string(i) + ".jpg", std::string(10, 'x'));
  const auto outcome = weir::test::weir({"verify", first, "--beside", folder.path(), "--size",
                                         "32x32", "--memory-budget", "64MiB", "--json", "-"});
  CHECK(outcome.exit_code == 1);
  const auto json = outcome.json();
  CHECK(json["error"].is_null());
  CHECK(json["verify"]["reads"] == 160);
  CHECK(contains(json["beside"]["error"].get<std::string>(), "0.jpg"));
  CHECK(contains(outcome.err, "0.jpg"));
  CHECK(json["shared"]["breaches"] == 0);
  CHECK(json["beside"]["verify"]["determinism"]["skipped"] == "no batch was delivered");
}
