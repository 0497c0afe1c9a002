#include "program.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"

using namespace weir::test;

TEST_CASE("a soak checks every law, tries every file and has no breach", "[verify]") {
  const auto outcome =
      weir::test::weir({"verify", "synthetic:300,24x24", "--size", "16x16", "--batch", "8",
                        "--epochs", "3", "--max-queue-size", "3", "--max-leases", "2", "--workers",
                        "3", "--annotation-bytes", GENERATE("0", "100"), "--json", "-"});
  CHECK(outcome.exit_code == 0);
  const auto json = outcome.json();
  REQUIRE_FALSE(json.is_discarded());
  const auto& verify = json["verify"];
  CHECK(verify["breaches"] == 0);
  CHECK(verify["files"] == 300);
  CHECK(verify["attempted"] == 300);
  CHECK(verify["ticks"].get<int>() > 10);
  CHECK(verify["determinism"]["batches"] == 114);
  CHECK(verify["determinism"]["skipped"].is_null());
  CHECK(json["beside"].is_null());
  CHECK(json["shared"].is_null());
  for (const auto& law : verify["laws"]) {
    CAPTURE(law.dump());
    CHECK(law["checks"].get<int>() > 0);
    CHECK(law["breaches"] == 0);
  }
}

TEST_CASE("a soak over bad files breaks no law", "[verify]") {
  const TemporaryFolder folder;
  for (int i = 0; i < 12; ++i) folder.write(std::to_string(i) + ".jpg", std::string(10, 'x'));
  const auto outcome = weir::test::weir(
      {"verify", folder.path(), "--on-fault", "blank", "--epochs", "2", "--batch", "5"});
  CHECK(outcome.exit_code == 0);
  CHECK(contains(outcome.out, "No breach."));
  CHECK(contains(outcome.out, "12 of 12 files attempted"));
  CHECK(contains(outcome.out, "6 batches were delivered once more"));
}

TEST_CASE("a soak compares the reads with the draws of any order", "[verify][order]") {
  const TemporaryFolder folder;
  std::string weights;
  for (int i = 0; i < 60; ++i) weights += std::to_string(i % 4) + "\n";
  folder.write("weights", weights);
  const std::string weighted = "weighted:" + (folder.path() / "weights").string();
  const std::string order = GENERATE("every:7:2", "with_replacement:150", "");
  const bool cached = GENERATE(false, true);
  CAPTURE(order, cached);
  std::vector<std::string> arguments{"verify",   "synthetic:60,24x24",
                                     "--size",   "16x16",
                                     "--batch",  "8",
                                     "--epochs", "3",
                                     "--order",  order.empty() ? weighted : order,
                                     "--json",   "-"};
  if (cached) arguments.insert(arguments.end(), {"--cache", "encoded:1MiB"});
  const auto outcome = weir::test::weir(arguments);
  CHECK(outcome.exit_code == 0);
  const auto json = outcome.json();
  const auto& verify = json["verify"];
  CHECK(verify["breaches"] == 0);
  CHECK(verify["laws"][10]["law"] == "attempted");
  CHECK(verify["laws"][10]["checks"].get<int>() == 3);
  if (order.starts_with("every")) CHECK(verify["attempted"] == 9);
}

TEST_CASE("a soak says which law it could not check, and why", "[verify]") {
  const TemporaryFolder folder;
  folder.write("bad.jpg", std::string(10, 'x'));
  folder.write("list", "bad.jpg\t1\nmissing.jpg\t2\n");
  const auto outcome =
      weir::test::weir({"verify", folder.path() / "list", "--on-fault", "blank", "--quiet"});
  CHECK(outcome.exit_code == 0);
  CHECK(contains(outcome.out, "No breach."));
  CHECK(
      contains(outcome.out, "determinism was not checked: 1 fault of kind io need not come again"));
}

TEST_CASE("a soak of many samples repeats its first and its last", "[verify]") {
  const auto order = GENERATE(
      std::vector<std::string>{"--fit", "random", "--size", "16x16"},
      std::vector<std::string>{"--sizes", "padded", "--bucket", "4", "--max-size", "20x20"},
      std::vector<std::string>{"--decode", "none", "--on-fault", "skip"},
      std::vector<std::string>{"--on-fault", "skip", "--max-pixels", "600", "--size", "16x16"});
  std::vector<std::string> words{"verify",    "synthetic:1200,24x24",
                                 "--batch",   "100",
                                 "--epochs",  "2",
                                 "--shuffle", "--workers",
                                 "2",         "--json",
                                 "-"};
  words.insert(words.end(), order.begin(), order.end());
  const auto outcome = weir::test::weir(words);
  CAPTURE(order, outcome.err);
  CHECK(outcome.exit_code == 0);
  const auto json = outcome.json();
  CHECK(json["verify"]["breaches"] == 0);
  CHECK(json["verify"]["determinism"]["batches"] == 22);  // 11 of 24 at each end
}
