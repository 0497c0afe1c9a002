// --max-sample-bytes measured: what the largest sample needs, the same in every command.
#include <string>
#include <vector>

#include "program.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"
#include "support/text.hpp"
#include "weir/source.hpp"

using namespace weir::test;

namespace {

const std::string large_images = "synthetic:60,120x160";

Outcome with(std::vector<std::string> words, const std::string& most) {
  for (const auto* word : {"--batch", "8", "--memory-budget", "64MiB"}) words.emplace_back(word);
  words.insert(words.end(), {"--max-sample-bytes", most});
  return weir::test::weir(words);
}

std::uint64_t planned(std::vector<std::string> words, const std::string& most) {
  words.insert(words.end(), {"--json", "-"});
  const auto outcome = with(words, most);
  CAPTURE(words, outcome.err);
  REQUIRE(outcome.exit_code == 0);
  const auto json = outcome.json();
  const bool several = words[0] == "tune" || words[0] == "sweep";
  const auto plan = several ? json["runs"][0]["plan"] : json["plan"];
  return plan["max_sample_bytes"].get<std::uint64_t>();
}

}  // namespace

TEST_CASE("plan, run, tune, sweep and verify reserve what was measured", "[measured]") {
  const auto most = planned({"plan", large_images}, "measured");
  CHECK(most > 10'000);
  CHECK(most < 1'000'000);
  CHECK(planned({"run", large_images}, "measured") == most);
  if (!sanitized)
    CHECK(planned({"tune", large_images}, "measured") == most);  // its advice takes long then
  CHECK(planned({"verify", large_images, "--world", "2"}, "measured") == most);
  CHECK(planned({"sweep", large_images, "--max-queue-size", "2", "--rounds", "1", "--epochs", "1"},
                "measured") == most);
  // As a number it is enough, and one byte less is not.
  const auto run = [&](std::uint64_t bytes) {
    return with({"run", large_images, "--on-fault", "blank", "--json", "-"}, std::to_string(bytes))
        .json()["fault_count"]
        .get<std::uint64_t>();
  };
  CHECK(run(most) == 0);
  CHECK(run(most - 1) > 0);
  // probe judges as that run does.
  CHECK(with({"probe", large_images, "--json", "-"}, "measured").json()["probe"]["bad"] == 0);
}

TEST_CASE("the plan shows what was measured", "[measured]") {
  const auto outcome = with({"plan", large_images}, "measured");
  CHECK(contains(outcome.out, "\n  measured: the largest of 60 samples needs "));
  CHECK(contains(with({"run", large_images}, "measured").out,
                 "\n  measured: the largest of 60 samples"));
  const auto json = with({"run", large_images, "--json", "-"}, "measured").json();
  CHECK(contains(json["plan"]["sample_how"].get<std::string>(), "the largest of 60 samples needs"));
  const auto plain = with({"run", large_images, "--json", "-"}, "1MiB").json();
  CHECK(plain["plan"]["sample_how"].is_null());
}

TEST_CASE("plan and report show what a run of this data may take", "[measured]") {
  const auto report = [](const std::string& command, const std::string& of, const char* most) {
    std::vector<std::string> words{command, of, "--batch", "8", "--workers", "2", "--json", "-"};
    if (most) words.insert(words.end(), {"--max-sample-bytes", most});
    return weir::test::weir(words).json();
  };
  const auto plan = report("plan", large_images, nullptr)["plan"];
  const auto bytes = plan["data_ceiling_bytes"].get<std::uint64_t>();
  CHECK(plan["ceiling_bytes"].get<std::uint64_t>() > 100u << 20);
  CHECK(plan["max_sample_bytes"] ==
        report("plan", "synthetic:10001,8x8", nullptr)["plan"]["max_sample_bytes"]);
  CHECK(report("plan", large_images, "measured")["plan"]["data_ceiling_bytes"] == bytes);
  // A large budget reserves much for one sample, and these samples do not use it.
  const auto budgeted = weir::test::weir({"plan", large_images, "--batch", "8", "--workers", "2",
                                          "--memory-budget", "1GiB", "--json", "-"})
                            .json()["plan"];
  CHECK(budgeted["data_ceiling_bytes"].get<std::uint64_t>() <= 2 * bytes);
  const auto run = report("run", large_images, "measured");
  CHECK(run["plan"]["data_ceiling_bytes"] == bytes);
  const auto peak = run["memory"]["peak"].get<std::uint64_t>();
  CHECK(peak <= bytes);
  CHECK(bytes <= 2 * peak);
  CHECK(contains(weir::test::weir({"plan", large_images}).out,
                 "budget no bound, this data at most "));
  // Many samples are measured only on request, and `weir run` measures none unasked.
  CHECK(report("plan", "synthetic:10001,8x8", nullptr)["plan"]["data_ceiling_bytes"].is_null());
  CHECK(report("run", large_images, nullptr)["plan"]["data_ceiling_bytes"].is_null());
}

TEST_CASE("plan, run and verify reserve the same with measured sizes", "[measured][sizes]") {
  const TemporaryFolder folder;  // synthetic: knows the sizes of its images
  const auto images = weir::synthetic(20, {120, 160});
  weir::MemorySink sink;
  for (std::uint64_t i = 0; i < images.size(); ++i)
    folder.write(std::to_string(i) + ".jpg", images.read(i, sink).bytes);
  const auto reserved = [&](const char* command) {
    const auto json = weir::test::weir({command, folder.string(), "--sizes", "ragged", "--batch",
                                        "8", "--memory-budget", "64MiB", "--json", "-"})
                          .json();
    CHECK(json["plan"]["sample_how"].is_string());
    return json["plan"]["max_sample_bytes"].get<std::uint64_t>();
  };
  const auto most = reserved("plan");
  CHECK(most < 1'000'000);
  CHECK(reserved("run") == most);
  CHECK(reserved("verify") == most);
}

TEST_CASE("measured needs data and a plan of a loader", "[measured][messages]") {
  const auto plan = weir::test::weir({"plan", "--max-sample-bytes", "measured"});
  CHECK(plan.exit_code == 2);
  CHECK(contains(plan.err, "--max-sample-bytes measured needs DATA, because the samples are"));
  const TemporaryFolder folder;
  const auto pack = weir::test::weir(
      {"pack", large_images, folder.path() / "out", "--keep", "--max-sample-bytes", "measured"});
  CHECK(pack.exit_code == 2);
  CHECK(contains(pack.err, "--max-sample-bytes measured must be bytes here"));
  const auto other = weir::test::weir({"run", large_images, "--max-sample-bytes", "most"});
  CHECK(other.exit_code == 2);
  CHECK(contains(other.err, "--max-sample-bytes most"));
  const auto none = weir::test::weir({"run", large_images, "--max-sample-bytes", "0"});
  CHECK(contains(none.err, "--max-sample-bytes 0: must be 1 to 1125899906842624 bytes"));
}

TEST_CASE("a budget below the largest sample is refused with its bytes", "[measured][messages]") {
  const auto outcome = weir::test::weir({"run", "synthetic:4,600x800", "--batch", "1", "--size",
                                         "32x32", "--workers", "1", "--memory-budget", "150KiB",
                                         "--max-sample-bytes", "measured"});
  CHECK(outcome.exit_code == 2);
  CHECK(contains(outcome.err, "--memory-budget 150KiB"));
}

TEST_CASE("a signal ends a measurement", "[measured]") {
  const auto outcome =
      weir_interrupted({"run", "synthetic:1000000,300x400", "--max-sample-bytes", "measured"});
  CHECK(outcome.exit_code == 130);
  CHECK(contains(outcome.err,
                 "interrupted while the samples of synthetic:1000000,300x400 were "
                 "measured"));
}
