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

}  // namespace

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

// One test case for each, so that they run in parallel.
#define WEIR_SEARCH(rows, batch, queue, policy)                                                    \
  TEST_CASE("R14 every schedule of " #rows " rows in batches of " #batch " and a queue of " #queue \
            " under " #policy,                                                                     \
            "[conductor][R14][R3]") {                                                              \
    every_budget(rows, batch, queue, OnFault::policy);                                             \
  }
#define WEIR_SEARCH_HOLDS(rows, batch, queue, pieces, moves)                                       \
  TEST_CASE("R14 every schedule of " #rows " rows in batches of " #batch " and a queue of " #queue \
            " beside a cache of " #pieces,                                                         \
            "[conductor][R14][R3]") {                                                              \
    every_hold(rows, batch, queue, pieces, moves);                                                 \
  }
#define WEIR_SEARCH_SIZES(rows, batch, queue, bytes)                                               \
  TEST_CASE("R14 every schedule of " #rows " rows in batches of " #batch " and a queue of " #queue \
            " and of " #bytes " bytes, each of its own size",                                      \
            "[conductor][R14][R3]") {                                                              \
    every_size(rows, batch, queue, bytes);                                                         \
  }
#define WEIR_SEARCH_PARTNERS(rows, batch, queue, partners)                                  \
  TEST_CASE("R14 every schedule of " #rows " rows in batches of " #batch " with " #partners \
            " partners",                                                                    \
            "[conductor][R14][R3]") {                                                       \
    every_partner(rows, batch, queue, partners);                                            \
  }
#define WEIR_SEARCH_READERS(rows, batch, queue, read_ahead, changes)                          \
  TEST_CASE("R14 every schedule of " #rows " rows in batches of " #batch " with " #read_ahead \
            " read ahead",                                                                    \
            "[conductor][R14][R3]") {                                                         \
    every_reader(rows, batch, queue, read_ahead, changes, 0);                                 \
  }
#define WEIR_SEARCH_TUNINGS(rows, batch, queue, read_ahead, changes)                          \
  TEST_CASE("R14 every schedule of " #rows " rows in batches of " #batch " with " #read_ahead \
            " read ahead and other limits",                                                   \
            "[conductor][R14][R3]") {                                                         \
    every_reader(rows, batch, queue, read_ahead, 0, changes);                                 \
  }
#define WEIR_SEARCH_COPIES(rows, batch, queue)                                                \
  TEST_CASE("R14 every schedule of " #rows " rows in batches of " #batch " with copied rows", \
            "[conductor][R14][R3]") {                                                         \
    every_copy(rows, batch, queue);                                                           \
  }
#define WEIR_SEARCH_ASKS(asks, batch, queue, outstanding)                    \
  TEST_CASE("R14 every schedule of " #asks " requests of at most " #batch    \
            " rows and a queue of " #queue ", " #outstanding " outstanding", \
            "[conductor][R14][R3]") {                                        \
    every_request(asks, batch, queue, outstanding);                          \
  }
#if WEIR_SEARCH_LARGE
WEIR_SEARCH_ASKS(4, 2, 2, 3)
WEIR_SEARCH_ASKS(3, 2, 1, 2)
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
WEIR_SEARCH_HOLDS(4, 2, 2, 2, 3)
WEIR_SEARCH_HOLDS(4, 2, 1, 2, 4)
WEIR_SEARCH_SIZES(4, 2, 2, 40)
WEIR_SEARCH_SIZES(6, 2, 2, 40)
WEIR_SEARCH_PARTNERS(4, 2, 2, 2)
WEIR_SEARCH_READERS(3, 1, 2, 2, 2)
WEIR_SEARCH_READERS(4, 2, 2, 1, 2)
WEIR_SEARCH_COPIES(8, 4, 2)
WEIR_SEARCH_COPIES(6, 3, 2)
WEIR_SEARCH_TUNINGS(4, 2, 2, 0, 2)
WEIR_SEARCH_TUNINGS(3, 1, 2, 1, 1)
#else
WEIR_SEARCH_ASKS(2, 2, 1, 2)
WEIR_SEARCH_ASKS(2, 1, 2, 2)
WEIR_SEARCH(2, 1, 2, stop)
WEIR_SEARCH(2, 1, 2, skip)
WEIR_SEARCH(2, 1, 2, blank)
WEIR_SEARCH(3, 2, 1, stop)
WEIR_SEARCH(3, 2, 1, skip)
WEIR_SEARCH(3, 2, 1, blank)
WEIR_SEARCH_HOLDS(2, 1, 2, 1, 2)
WEIR_SEARCH_HOLDS(2, 2, 1, 1, 2)
WEIR_SEARCH_SIZES(3, 1, 2, 40)
WEIR_SEARCH_PARTNERS(3, 1, 2, 2)
WEIR_SEARCH_READERS(2, 1, 2, 1, 1)
WEIR_SEARCH_COPIES(3, 3, 1)
WEIR_SEARCH_TUNINGS(2, 1, 2, 0, 1)
#endif
#undef WEIR_SEARCH_TUNINGS
#undef WEIR_SEARCH_COPIES
#undef WEIR_SEARCH_READERS
#undef WEIR_SEARCH_PARTNERS
#undef WEIR_SEARCH_ASKS
#undef WEIR_SEARCH_SIZES
#undef WEIR_SEARCH_HOLDS
#undef WEIR_SEARCH
