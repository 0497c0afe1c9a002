// The arithmetic of interop/mpi.hpp, without MPI.
#include "weir/interop/mpi_figures.hpp"

#include "support/catch.hpp"
#include "weir/source.hpp"

using namespace weir;

namespace {

/// A report with small numbers that depend on `rank`.
Report report_of(int rank) {
  const auto n = static_cast<std::uint64_t>(rank) + 1;
  Report report;
  report.samples.drawn = report.samples.consumed = 10 * n;
  report.memory = {.live = n, .peak = 100 * n, .budget = 1000 * n};
  report.fault_kinds[2] = report.fault_count = n;
  report.queue.seconds = static_cast<double>(n);
  report.queue.batches = 4;
  report.queue.samples = 7 * n;
  report.slabs.images[1] = report.slabs.rest = n;
  report.planes = {{.name = "mask", .ok = 5 * n, .absent = n, .decodes = 6 * n, .decode_s = 0.5}};
  report.queue.batches_ready = n;
  report.queue.occupancy = rank == 0 ? std::vector{0.5, 0.5} : std::vector{0.25, 0.25, 0.5};
  report.queue.cpu.wait_s = 1.0;
  if (rank == 0) report.queue.cpu.steal_s = 1.0;
  report.throughput = {.seconds = static_cast<double>(n), .samples_per_s = 5, .first_batch_s = 1};
  report.stages.resize(stage_count);
  report.stages[2].count = 2;
  report.stages[2].times.resize(648);
  report.stages[2].times[rank == 0 ? 100u : 300u] = 2;
  return report;
}

/// The reports of two ranks as one, as rank 0 sees it.
Report added(const Report& a, const Report& b) {
  auto lengths = interop::lengths_of(a);
  const auto of_b = interop::lengths_of(b);
  for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = std::max(lengths[i], of_b[i]);
  auto sum = interop::figures_of(a, lengths);
  const auto more = interop::figures_of(b, lengths);
  REQUIRE(sum.counts.size() == more.counts.size());
  for (std::size_t i = 0; i < sum.counts.size(); ++i) sum.counts[i] += more.counts[i];
  for (std::size_t i = 0; i < sum.sums.size(); ++i) sum.sums[i] += more.sums[i];
  for (std::size_t i = 0; i < sum.largest.size(); ++i)
    sum.largest[i] = std::max(sum.largest[i], more.largest[i]);
  auto total = a;
  interop::put(sum, lengths, 2, total);
  return total;
}

}  // namespace

TEST_CASE("two ranks' reports are added up, merged and averaged", "[ranks]") {
  const auto total = added(report_of(0), report_of(1));
  CHECK(total.samples.consumed == 30);
  CHECK(total.samples.conserved());
  CHECK(total.memory.live == 3);
  CHECK(total.memory.peak == 300);
  CHECK(total.memory.budget == 3000);
  CHECK(total.fault_count == 3);
  CHECK(total.fault_kinds[2] == 3);
  CHECK(total.queue.samples == 21);
  CHECK(total.slabs.images[1] == 3);
  CHECK(total.slabs.rest == 3);
  CHECK(total.planes[0].ok == 15);
  CHECK(total.planes[0].absent == 3);
  CHECK(total.planes[0].decodes == 18);
  CHECK(total.planes[0].decode_s == 1.0);
  CHECK(total.throughput.seconds == 2);
  CHECK(total.throughput.samples_per_s == 10);
  CHECK(total.queue.data_readiness == Approx(3.0 / 8));
  // Rank 1 ran twice as long.
  REQUIRE(total.queue.occupancy.size() == 3);
  CHECK(total.queue.occupancy[0] == Approx((0.5 + 2 * 0.25) / 3));
  CHECK(total.queue.occupancy[2] == Approx(2 * 0.5 / 3));
  CHECK(total.queue.cpu.wait_s == 2.0);
  CHECK_FALSE(total.queue.cpu.steal_s);  // one rank does not know
  CHECK(total.stages[2].count == 4);
  CHECK(total.stages[2].times[100] == 2);
  CHECK(total.stages[2].times[300] == 2);
  CHECK(total.stages[0].times.empty());
  CHECK(total.stages[2].quantile_us(0.5).value() ==
        Approx(0.01 * std::pow(1.04, 99.5)).epsilon(0.03));
  CHECK(total.stages[2].quantile_us(0.99).value() ==
        Approx(0.01 * std::pow(1.04, 299.5)).epsilon(0.03));
}

TEST_CASE("a budget without a bound on one rank is none for the job", "[ranks]") {
  auto unbounded = report_of(0);
  unbounded.memory.budget.reset();
  CHECK(added(unbounded, report_of(1)).memory.budget == std::nullopt);
  CHECK(added(report_of(1), unbounded).memory.budget == std::nullopt);
}

TEST_CASE("the first property that differs is named with both values", "[ranks]") {
  const std::vector<Property> first{{"seed", "7"}, {"batch", "2"}};
  CHECK(interop::difference(first, first).empty());
  CHECK(interop::from_text(interop::to_text(first)) == first);
  CHECK(interop::difference({{"seed", "7"}, {"batch", "3"}}, first) ==
        "batch is 3; on rank 0 it is 2");
  CHECK(interop::difference({{"seed", "7"}}, first) == "has other properties than rank 0");
}

TEST_CASE("ranks whose budgets differ learn what to set", "[ranks]") {
  const auto identity = [](std::uint64_t budget) {
    return Loader(synthetic(4, {8, 8}),
                  {.shape = {8, 8}, .batch = 2, .workers = 1, .memory = {.budget_bytes = budget}})
        .identity();
  };
  const auto text = interop::difference(identity(32 << 20), identity(64 << 20));
  CHECK_THAT(text, weir::test::has_text("memory.max_sample_bytes is "));
  CHECK_THAT(text, weir::test::has_text("set `memory.max_sample_bytes` on every rank"));
}
