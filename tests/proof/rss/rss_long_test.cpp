#include <algorithm>

#include "proof/rss/children.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/skip.hpp"

using namespace weir::test;

namespace {

constexpr std::uint64_t mib = 1ull << 20;
/// The allowance beside the budget: thread stacks, the used pages of library text and data, and the
/// allocator's rounding and free lists.
constexpr std::uint64_t fixed_overhead = 48 * mib;

/// Empty, with a warning, if the real data are missing.
std::vector<std::filesystem::path> folders() {
  std::vector<std::filesystem::path> all;
  for (const auto* name : {"photos", "odd", "hostile"}) {
    if (const auto folder = test_data(name)) all.push_back(*folder);
  }
  if (all.size() == 3) return all;
  skip("WEIR_TEST_DATA is not set");
  return {};
}

std::string in_mib(std::uint64_t bytes) { return std::to_string(bytes / mib) + " MiB"; }

}  // namespace

TEST_CASE("RSS grows by at most budget + 48 MiB, even on hostile files", "[rss][R4]") {
  const auto data = folders();
  if (data.empty()) return;
  for (const std::uint64_t budget : {48u, 64u, 96u, 192u, 384u, 1024u}) {
    const auto run = run_child(budget * mib, data);
    REQUIRE(run.status == 0);
    const auto growth = run.peak - std::min(run.start, run.peak);
    WARN("budget " << budget << " MiB: RSS grew by " << in_mib(growth) << ", the books' peak was "
                   << in_mib(run.books_peak) << ", " << run.rows << " rows, " << run.faults
                   << " faults");
    CHECK(run.rows > 2000);
    CHECK(run.faults > 100);
    CHECK(run.books_peak <= budget * mib);
    // 64 batches and the memory of 40 threads are nearly half a gigabyte. The loader requests no
    // more. How many large images are decoded at once depends on the threads.
    CHECK(2 * run.books_peak > std::min<std::uint64_t>(budget, 800) * mib);
    CHECK(growth <= budget * mib + fixed_overhead);
  }
}

TEST_CASE("a memory cgroup of budget + 48 MiB kills no process", "[rss][R4]") {
  const auto data = folders();
  if (data.empty()) return;
  for (const std::uint64_t budget : {48u, 192u, 1024u}) {
    const auto group = MemoryGroup::make(budget * mib + fixed_overhead);
    if (!group) {
      skip("no memory cgroup can be made here");
      return;
    }
    const auto run = run_child(budget * mib, data, group->path());
    CHECK(run.status == 0);
    CHECK(group->kills() == 0);
    CHECK(run.rows > 2000);
  }
}
