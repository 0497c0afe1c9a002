#include "program.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"

using weir::test::contains;
using weir::test::one_line;

TEST_CASE("the grid gives the GiB of one batch", "[plan]") {
  const auto outcome = weir::test::weir({"plan", "--grid", "--dtype", "float32", "--json", "-"});
  REQUIRE(outcome.exit_code == 0);
  const auto grid = outcome.json()["grid"];
  CHECK(grid["dtype"] == "float32");
  CHECK(grid["batches"].size() == 12);
  CHECK(grid["sides"].size() == 6);
  CHECK(grid["gib"][0][0].get<double>() == 393216.0 / (1 << 30));
  CHECK(grid["gib"][5][3].get<double>() == 0.75);
  CHECK(grid["gib"][11][5].get<double>() == 768);
  CHECK(grid["bytes"][11][5].get<std::uint64_t>() == 768ull << 30);
}

TEST_CASE("the grid as text has its corners", "[plan]") {
  const auto outcome = weir::test::weir({"plan", "--grid", "--dtype", "float32"});
  CHECK(contains(outcome.out, "0.000366"));
  CHECK(contains(outcome.out, " 768\n"));
}

TEST_CASE("a plan lists each depth as each type, without reading a file", "[plan]") {
  const auto json =
      weir::test::weir({"plan", "--batch", "128", "--max-queue-size", "2,10", "--json", "-"})
          .json();
  REQUIRE(json["depths"].size() == 2);
  const auto& deep = json["depths"][1];
  CHECK(deep["max_queue_size"] == 10);
  const auto slab = json["plan"]["slab_bytes"].get<std::uint64_t>();
  CHECK(deep["staging_bytes"] == 11 * slab);
  const std::uint64_t pixels = 128ull * 224 * 224 * 3;
  CHECK(deep["float32_bytes"] == 11 * (slab + 3 * pixels));
  CHECK(json["memory"].is_null());
}

TEST_CASE("annotations are in every figure of a plan, and in its text", "[plan]") {
  const auto plan = [](const std::string& side) {
    return weir::test::weir({"plan", "--batch", "10", "--annotation-bytes", side,
                             "--max-queue-size", "1,3", "--json", "-"})
        .json();
  };
  const auto without = plan("0"), with = plan("1KiB");
  // Each a multiple of the slab's alignment: the annotations, and their lengths.
  const std::uint64_t more = 10 * 1024 + 64;
  CHECK(without["plan"]["annotation_bytes"] == 0);
  CHECK(with["plan"]["annotation_bytes"] == 1024);
  CHECK(with["plan"]["transform_bytes"] == 0);
  const auto of = [](const weir::test::Json& json) { return json.get<std::uint64_t>(); };
  CHECK(of(with["plan"]["slab_bytes"]) == of(without["plan"]["slab_bytes"]) + more);
  CHECK(of(with["plan"]["floor_bytes"]) == of(without["plan"]["floor_bytes"]) + 2 * more);
  for (const auto* type : {"staging_bytes", "float32_bytes"})
    CHECK(of(with["depths"][1][type]) == of(without["depths"][1][type]) + 4 * more);
  const auto text = weir::test::weir({"plan", "--annotation-bytes", "1KiB"}).out;
  CHECK(contains(one_line(text), ", annotation 1.00 KiB, window 80 B, "));
}
