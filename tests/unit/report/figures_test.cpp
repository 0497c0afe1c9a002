#include "report/figures.hpp"

#include "sample_run.hpp"
#include "support/catch.hpp"

using namespace weir;
using namespace weir::report;

TEST_CASE("the grid of one batch has the figures of its issue", "[grid]") {
  const auto grid = pixel_grid(ElementType::f32);
  REQUIRE(grid.batches.front() == 32);
  REQUIRE(grid.batches.back() == 65536);
  REQUIRE(grid.sides.front() == 32);
  REQUIRE(grid.sides.back() == 1024);
  CHECK(gibibytes(grid.bytes.front().front()) == "0.000366");
  CHECK(grid.batches[5] == 1024);
  CHECK(grid.sides[3] == 256);
  CHECK(gibibytes(grid.bytes[5][3]) == "0.75");
  CHECK(gibibytes(grid.bytes.back().back()) == "768");
}

TEST_CASE("the grid scales with the size of an element", "[grid]") {
  const auto u8 = pixel_grid(ElementType::u8), f32 = pixel_grid(ElementType::f32);
  const auto f16 = pixel_grid(ElementType::f16), bf16 = pixel_grid(ElementType::bf16);
  for (std::size_t row = 0; row < u8.bytes.size(); ++row)
    for (std::size_t column = 0; column < u8.bytes[row].size(); ++column) {
      CHECK(f32.bytes[row][column] == 4 * u8.bytes[row][column]);
      CHECK(f16.bytes[row][column] == 2 * u8.bytes[row][column]);
      CHECK(bf16.bytes[row][column] == f16.bytes[row][column]);
    }
}

TEST_CASE("GiB have three significant digits and never an exponent", "[grid]") {
  CHECK(gibibytes(0) == "0");
  CHECK(gibibytes(1) == "0.000000000931");
  CHECK(gibibytes(98304) == "0.0000916");
  CHECK(gibibytes(3ull << 29) == "1.5");
  CHECK(gibibytes(12345ull << 30) == "12345");
}

TEST_CASE("a depth costs its slabs and those on lease", "[plan]") {
  const auto plan = test::sample_run().figures.plan;
  const auto cost = plan.cost_of(10);
  CHECK(cost.max_queue_size == 10);
  CHECK(cost.staging_bytes == 11 * plan.slab_bytes);
  CHECK(*cost.float32_bytes - cost.staging_bytes == 3ull * 11 * 128 * 224 * 224 * 3);
}

TEST_CASE("the depths shown are powers of two, and the plan's own", "[plan]") {
  Plan plan;
  plan.max_queue_size = 4;
  CHECK(default_depths(plan) == std::vector<std::uint32_t>{1, 2, 4, 8, 16});
  plan.max_queue_size = 10;
  CHECK(default_depths(plan) == std::vector<std::uint32_t>{1, 2, 4, 8, 10, 16});
  plan.max_queue_size = 40;
  CHECK(default_depths(plan) == std::vector<std::uint32_t>{1, 2, 4, 8, 16, 32, 40});
}

TEST_CASE("staging sums four slab states, and unaccounted has a sign", "[memory]") {
  auto run = test::sample_run();
  CHECK(staging_bytes(run.figures.memory.accounts) == 11 * run.figures.plan.slab_bytes);
  CHECK(unaccounted(run) == (240ll << 20) - static_cast<std::int64_t>(run.figures.memory.peak));
  run.process_peak = run.process_before;
  CHECK(unaccounted(run) == -static_cast<std::int64_t>(run.figures.memory.peak));
}
