#include <cstdint>
#include <cstdio>
#include <string>

#include "support/catch.hpp"
#include "support/sanitized.hpp"
#include "unit/conductor/search.hpp"

using namespace weir;
using namespace weir::test;

namespace {

/// Two workers, a cancel at any step, spare budget for one row or none. Samples are refused and park.
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
  CHECK((scenario.cache_moves == 0 || found.held_up > 0));
  std::printf("%-16s %9llu states, %9llu steps, %.3g schedules of at most %llu, %llu with parked\n",
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

/// With one or two cached pieces that are held and released.
void every_hold(std::uint64_t rows, std::uint32_t batch, std::uint32_t queue, std::uint32_t pieces,
                std::uint32_t moves) {
  auto world = small_world(rows, batch, queue);
  world.cache_moves = moves;
  world.cache_pieces = pieces;
  every_schedule(std::to_string(pieces) + " kept, " + std::to_string(moves) + " held", world);
}

/// With a slab of different size for each batch.
void every_size(std::uint64_t rows, std::uint32_t batch, std::uint32_t queue, std::uint64_t bytes) {
  auto world = small_world(rows, batch, queue);
  world.sizes_differ = true;
  world.max_queue_bytes = bytes;
  every_schedule("queue of " + std::to_string(bytes) + " B", world);
}

/// Rows of several samples, whose block grows while they are read.
void every_partner(std::uint64_t rows, std::uint32_t batch, std::uint32_t queue,
                   std::uint32_t partners) {
  auto world = small_world(rows, batch, queue);
  world.partners = partners;
  every_schedule(std::to_string(partners) + " partners", world);
}

/// Readers read rows ahead, workers read them, or first these and then those. Tuning changes the limits
/// while rows are under way.
void every_reader(std::uint64_t rows, std::uint32_t batch, std::uint32_t queue,
                  std::uint32_t read_ahead, std::uint32_t pace_changes, std::uint32_t tunings) {
  auto world = small_world(rows, batch, queue);
  world.read_ahead = read_ahead;
  world.pace_changes = pace_changes;
  world.tunings = tunings;
  every_schedule(std::to_string(read_ahead) + " ahead, tuned " + std::to_string(tunings), world);
}

/// Workers copy every other row from the cache, and post those of a run together.
void every_copy(std::uint64_t rows, std::uint32_t batch, std::uint32_t queue) {
  auto world = small_world(rows, batch, queue);
  world.copied_one_in = 2;
  every_schedule("copies", world);
}

/// The trainer asks for the batches.
void every_request(std::uint64_t asks, std::uint32_t batch, std::uint32_t queue,
                   std::uint32_t outstanding) {
  auto world = small_world(3, batch, queue);
  world.asks = asks;
  world.most_outstanding = outstanding;
  every_schedule(std::to_string(asks) + " asks", world);
}

}  // namespace

// One test case for each, so that they run in parallel. "6 rows by 2": in batches of 2.
#if WEIR_SEARCH_LARGE
TEST_CASE("R14 every schedule is sound: 4 requests by 2, queue 2", "[conductor][R14][R3]") {
  every_request(4, 2, 2, 3);
}
TEST_CASE("R14 every schedule is sound: 3 requests by 2, queue 1", "[conductor][R14][R3]") {
  every_request(3, 2, 1, 2);
}
TEST_CASE("R14 every schedule is sound: 4 rows by 2, queue 2, stop", "[conductor][R14][R3]") {
  every_budget(4, 2, 2, OnFault::stop);
}
TEST_CASE("R14 every schedule is sound: 4 rows by 2, queue 2, skip", "[conductor][R14][R3]") {
  every_budget(4, 2, 2, OnFault::skip);
}
TEST_CASE("R14 every schedule is sound: 4 rows by 2, queue 2, blank", "[conductor][R14][R3]") {
  every_budget(4, 2, 2, OnFault::blank);
}
TEST_CASE("R14 every schedule is sound: 6 rows by 2, queue 1, stop", "[conductor][R14][R3]") {
  every_budget(6, 2, 1, OnFault::stop);
}
TEST_CASE("R14 every schedule is sound: 6 rows by 2, queue 1, skip", "[conductor][R14][R3]") {
  every_budget(6, 2, 1, OnFault::skip);
}
TEST_CASE("R14 every schedule is sound: 6 rows by 2, queue 1, blank", "[conductor][R14][R3]") {
  every_budget(6, 2, 1, OnFault::blank);
}
TEST_CASE("R14 every schedule is sound: 6 rows by 3, queue 2, stop", "[conductor][R14][R3]") {
  every_budget(6, 3, 2, OnFault::stop);
}
TEST_CASE("R14 every schedule is sound: 6 rows by 3, queue 2, skip", "[conductor][R14][R3]") {
  every_budget(6, 3, 2, OnFault::skip);
}
TEST_CASE("R14 every schedule is sound: 6 rows by 3, queue 2, blank", "[conductor][R14][R3]") {
  every_budget(6, 3, 2, OnFault::blank);
}
TEST_CASE("R14 every schedule is sound: 6 rows by 2, queue 2, stop", "[conductor][R14][R3]") {
  every_budget(6, 2, 2, OnFault::stop);
}
TEST_CASE("R14 every schedule is sound: 6 rows by 2, queue 2, skip", "[conductor][R14][R3]") {
  every_budget(6, 2, 2, OnFault::skip);
}
TEST_CASE("R14 every schedule is sound: 6 rows by 2, queue 2, blank", "[conductor][R14][R3]") {
  every_budget(6, 2, 2, OnFault::blank);
}
TEST_CASE("R14 every schedule is sound: 4 rows by 2, queue 2, 2 cached", "[conductor][R14][R3]") {
  every_hold(4, 2, 2, 2, 3);
}
TEST_CASE("R14 every schedule is sound: 4 rows by 2, queue 1, 2 cached", "[conductor][R14][R3]") {
  every_hold(4, 2, 1, 2, 4);
}
TEST_CASE("R14 every schedule is sound: 4 rows by 2, queue 2, own sizes", "[conductor][R14][R3]") {
  every_size(4, 2, 2, 40);
}
TEST_CASE("R14 every schedule is sound: 6 rows by 2, queue 2, own sizes", "[conductor][R14][R3]") {
  every_size(6, 2, 2, 40);
}
TEST_CASE("R14 every schedule is sound: 4 rows by 2, 2 partners", "[conductor][R14][R3]") {
  every_partner(4, 2, 2, 2);
}
TEST_CASE("R14 every schedule is sound: 3 rows by 1, 2 read ahead", "[conductor][R14][R3]") {
  every_reader(3, 1, 2, 2, 2, 0);
}
TEST_CASE("R14 every schedule is sound: 4 rows by 2, 1 read ahead", "[conductor][R14][R3]") {
  every_reader(4, 2, 2, 1, 2, 0);
}
TEST_CASE("R14 every schedule is sound: 8 rows by 4, some copied", "[conductor][R14][R3]") {
  every_copy(8, 4, 2);
}
TEST_CASE("R14 every schedule is sound: 6 rows by 3, some copied", "[conductor][R14][R3]") {
  every_copy(6, 3, 2);
}
TEST_CASE("R14 every schedule is sound: 4 rows by 2, other limits", "[conductor][R14][R3]") {
  every_reader(4, 2, 2, 0, 0, 2);
}
TEST_CASE("R14 every schedule is sound: 3 rows by 1, other limits", "[conductor][R14][R3]") {
  every_reader(3, 1, 2, 1, 0, 1);
}
#else
TEST_CASE("R14 every schedule is sound: 2 requests by 2, queue 1", "[conductor][R14][R3]") {
  every_request(2, 2, 1, 2);
}
TEST_CASE("R14 every schedule is sound: 2 requests by 1, queue 2", "[conductor][R14][R3]") {
  every_request(2, 1, 2, 2);
}
TEST_CASE("R14 every schedule is sound: 2 rows by 1, queue 2, stop", "[conductor][R14][R3]") {
  every_budget(2, 1, 2, OnFault::stop);
}
TEST_CASE("R14 every schedule is sound: 2 rows by 1, queue 2, skip", "[conductor][R14][R3]") {
  every_budget(2, 1, 2, OnFault::skip);
}
TEST_CASE("R14 every schedule is sound: 2 rows by 1, queue 2, blank", "[conductor][R14][R3]") {
  every_budget(2, 1, 2, OnFault::blank);
}
TEST_CASE("R14 every schedule is sound: 3 rows by 2, queue 1, stop", "[conductor][R14][R3]") {
  every_budget(3, 2, 1, OnFault::stop);
}
TEST_CASE("R14 every schedule is sound: 3 rows by 2, queue 1, skip", "[conductor][R14][R3]") {
  every_budget(3, 2, 1, OnFault::skip);
}
TEST_CASE("R14 every schedule is sound: 3 rows by 2, queue 1, blank", "[conductor][R14][R3]") {
  every_budget(3, 2, 1, OnFault::blank);
}
TEST_CASE("R14 every schedule is sound: 2 rows by 1, queue 2, 1 cached", "[conductor][R14][R3]") {
  every_hold(2, 1, 2, 1, 2);
}
TEST_CASE("R14 every schedule is sound: 2 rows by 2, queue 1, 1 cached", "[conductor][R14][R3]") {
  every_hold(2, 2, 1, 1, 2);
}
TEST_CASE("R14 every schedule is sound: 3 rows by 1, queue 2, own sizes", "[conductor][R14][R3]") {
  every_size(3, 1, 2, 40);
}
TEST_CASE("R14 every schedule is sound: 3 rows by 1, 2 partners", "[conductor][R14][R3]") {
  every_partner(3, 1, 2, 2);
}
TEST_CASE("R14 every schedule is sound: 2 rows by 1, 1 read ahead", "[conductor][R14][R3]") {
  every_reader(2, 1, 2, 1, 1, 0);
}
TEST_CASE("R14 every schedule is sound: 3 rows by 3, some copied", "[conductor][R14][R3]") {
  every_copy(3, 3, 1);
}
TEST_CASE("R14 every schedule is sound: 2 rows by 1, other limits", "[conductor][R14][R3]") {
  every_reader(2, 1, 2, 0, 0, 1);
}
#endif
