#include "program.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"

using namespace weir::test;

TEST_CASE("a soak checks every law, attempts every file and finds no breach", "[verify]") {
  const auto outcome =
      weir::test::weir({"verify", "synthetic:300,24x24", "--size", "16x16", "--batch", "8",
                        "--epochs", "3", "--max-queue-size", "3", "--max-leases", "2", "--workers",
                        "3", "--side-bytes", GENERATE("0", "100"), "--json", "-"});
  CHECK(outcome.exit_code == 0);
  const auto json = outcome.json();
  REQUIRE_FALSE(json.is_discarded());
  const auto& verify = json["verify"];
  CHECK(verify["breaches"] == 0);
  CHECK(verify["files"] == 300);
  CHECK(verify["attempted"] == 300);
  CHECK(verify["ticks"].get<int>() > 10);
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
}
