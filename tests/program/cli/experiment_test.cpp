#include "program.hpp"
#include "support/catch.hpp"

// Ten batches of 128 are consumed. The samples drawn beyond them are those of the queue.
TEST_CASE("a loader at rest has drawn one queue more than was consumed", "[experiment]") {
  const auto [depth, drawn] = GENERATE(table<std::string, int>({{"10", 2560}, {"2", 1536}}));
  CAPTURE(depth);
  const auto outcome =
      weir::test::weir({"run", "synthetic:4096,16x16", "--size", "16x16", "--batch", "128",
                        "--steps", "10", "--settle", "--max-queue-size", depth, "--json", "-"});
  REQUIRE(outcome.exit_code == 0);
  const auto json = outcome.json();
  CHECK(json["samples"]["drawn"] == drawn);
  CHECK(json["samples"]["consumed"] == 1280);
  CHECK(json["samples"]["ready"] == drawn - 1280);
  CHECK(json["samples"]["in_flight"] == 0);
  CHECK(json["stages"][2]["name"] == "decode");
  CHECK(json["stages"][2]["count"] == drawn);  // the stages are of the same moment
  const auto slab = json["plan"]["slab_bytes"].get<std::uint64_t>();
  CHECK(json["memory"]["accounts"]["ready"] == std::stoull(depth) * slab);
}

TEST_CASE("steps run over as many epochs as they take", "[experiment]") {
  const auto json =
      weir::test::weir({"run", "synthetic:20,16x16", "--size", "16x16", "--batch", "8", "--steps",
                        "7", "--settle", "--read-delay-ms", "10", "--json", "-"})
          .json();
  // Epochs of 8 + 8 + 4.
  CHECK(json["samples"]["consumed"] == 20 + 20 + 8);
  // The wait for the loader to settle is no time of the run.
  CHECK(json["throughput"]["seconds"] < json["timeline"].back()["t"]);
}
