#include <cstdint>
#include <cstdio>
#include <string>

#include "support/catch.hpp"
#include "support/sanitized.hpp"
#include "unit/conductor/search.hpp"

using namespace weir;
using namespace weir::test;

namespace {

/// Two workers, a cancel at any step, one row of spare budget or none: samples are refused and park.
Scenario small_world(std::uint64_t rows, std::uint32_t batch, std::uint32_t queue) {
  return {.dataset = rows,
          .epochs = 1,
          .batch = batch,
          .max_queue_size = queue,
          .rows_ahead = 2,
          .max_run = 2,
          .slab_bytes = 30,
          .sample_bytes = 60,
          .cancel_from = 0};
}

void every_schedule(const std::string& name, const Scenario& scenario) {
  const auto found = search(scenario, 50'000'000);
  INFO(name << " after " << found.states << " states");
  REQUIRE(found.broken == "");
  CHECK(found.cancelled > 0);
  CHECK(found.parked > 0);
  CHECK((scenario.may_fail == 0 || found.faulty > 0));
  std::printf("%-8s %9llu states, %9llu steps, %.3g schedules of at most %llu, %llu with parked\n",
              name.c_str(), static_cast<unsigned long long>(found.states),
              static_cast<unsigned long long>(found.transitions), found.schedules,
              static_cast<unsigned long long>(found.longest),
              static_cast<unsigned long long>(found.parked));
}

void every_budget(std::uint64_t rows, std::uint32_t batch, std::uint32_t queue, OnFault policy) {
  for (const std::uint64_t spare : {0u, 40u}) {
    if (sanitized && spare > 0) continue;
    auto world = small_world(rows, batch, queue);
    world.on_fault = policy;
    world.may_fail = 1;
    world.spare_bytes = spare;
    every_schedule("spare " + std::to_string(spare), world);
  }
}

}  // namespace

// A case for each: they run in parallel.
#define WEIR_SEARCH(rows, batch, queue, policy)                                                    \
  TEST_CASE("R14 every schedule of " #rows " rows in batches of " #batch " and a queue of " #queue \
            " under " #policy,                                                                     \
            "[conductor][R14][R3]") {                                                              \
    every_budget(rows, batch, queue, OnFault::policy);                                             \
  }
#if WEIR_SEARCH_LARGE
WEIR_SEARCH(4, 2, 2, stop)
WEIR_SEARCH(4, 2, 2, skip)
WEIR_SEARCH(4, 2, 2, blank)
WEIR_SEARCH(6, 2, 1, stop)
WEIR_SEARCH(6, 2, 1, skip)
WEIR_SEARCH(6, 2, 1, blank)
WEIR_SEARCH(6, 3, 2, stop)
WEIR_SEARCH(6, 3, 2, skip)
WEIR_SEARCH(6, 3, 2, blank)
WEIR_SEARCH(6, 2, 2, stop)
WEIR_SEARCH(6, 2, 2, skip)
WEIR_SEARCH(6, 2, 2, blank)
#else
WEIR_SEARCH(2, 1, 2, stop)
WEIR_SEARCH(2, 1, 2, skip)
WEIR_SEARCH(2, 1, 2, blank)
WEIR_SEARCH(3, 2, 1, stop)
WEIR_SEARCH(3, 2, 1, skip)
WEIR_SEARCH(3, 2, 1, blank)
#endif
#undef WEIR_SEARCH
