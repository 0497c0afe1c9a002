#include "program.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"

using namespace weir::test;

TEST_CASE("verify checks every law after each batch", "[verify]") {
  const auto outcome =
      weir::test::weir({"verify", "synthetic:300,24x24", "--size", "16x16", "--batch", "8",
                        "--epochs", "3", "--max-queue-size", "3", "--max-leases", "2", "--workers",
                        "3", "--annotation-bytes", GENERATE("0", "100"), "--json", "-"});
  CHECK(outcome.exit_code == 0);
  const auto json = outcome.json();
  REQUIRE_FALSE(json.is_discarded());
  const auto& verify = json["verify"];
  CHECK(verify["breaches"] == 0);
  CHECK(verify["determinism"]["batches"] == 114);
  CHECK(verify["determinism"]["skipped"].is_null());
  std::string names;
  for (const auto& law : verify["laws"]) {
    CAPTURE(law.dump());
    names += law["law"].get<std::string>() + ' ';
    CHECK(law["checks"].get<int>() == 114);
    CHECK(law["breaches"] == 0);
  }
  CHECK(names == "sum bound peak conservation partners queue order held resume determinism ");
}

TEST_CASE("verify finds no breach over bad files", "[verify]") {
  const TemporaryFolder folder;
  for (int i = 0; i < 12; ++i) folder.write(std::to_string(i) + ".jpg", std::string(10, 'x'));
  const auto outcome =
      weir::test::weir({"verify", folder.path(), "--plane", "mask=" + folder.path().string(),
                        "--on-fault", "blank", "--epochs", "2", "--batch", "5", "--digest"});
  CHECK(outcome.exit_code == 0);
  CHECK(contains(outcome.out, "\nDigest "));
  CHECK(contains(outcome.out, "\nPlanes  ok  damaged  absent  broken\n  mask   0 "));
  CHECK(contains(outcome.out, "No breach."));
  CHECK(contains(outcome.out, "6 batches were delivered once more"));
}

TEST_CASE("verify says which law it could not check, and why", "[verify]") {
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

TEST_CASE("verify of many samples repeats the first and the last", "[verify]") {
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
