#include "conductor/schedule.hpp"

#include "support/catch.hpp"

using weir::conductor::Schedule;

TEST_CASE("a batch belongs to one epoch and the last one is short", "[conductor]") {
  const Schedule schedule({.samples = 10, .batch = 4}, 2);
  CHECK(schedule.batches_per_epoch() == 3);
  CHECK(schedule.end() == 6);
  const auto third = schedule.at(2);
  CHECK(third.epoch == 0);
  CHECK(third.first == 8);
  CHECK(third.rows == 2);
  CHECK(third.omitted == 0);
  const auto fourth = schedule.at(3);
  CHECK(fourth.epoch == 1);
  CHECK(fourth.first == 0);
  CHECK(fourth.rows == 4);
}

TEST_CASE("drop_last leaves the short batch out and counts its samples", "[conductor]") {
  const Schedule schedule({.samples = 10, .batch = 4, .drop_last = true}, 2);
  CHECK(schedule.end() == 4);
  CHECK(schedule.at(0).omitted == 0);
  CHECK(schedule.at(1).omitted == 2);
  CHECK(schedule.at(3).omitted == 2);
}

TEST_CASE("a set smaller than a batch gives one short batch or none", "[conductor]") {
  CHECK(Schedule({.samples = 3, .batch = 4}, 1).end() == 1);
  CHECK(Schedule({.samples = 3, .batch = 4}, 1).at(0).rows == 3);
  CHECK(Schedule({.samples = 3, .batch = 4, .drop_last = true}, 1).end() == 0);
  CHECK(Schedule({.samples = 3, .batch = 4, .drop_last = true}, std::nullopt).end() == 0);
}

TEST_CASE("an empty set has no batches, endless epochs have no end", "[conductor]") {
  CHECK(Schedule({.samples = 0, .batch = 4}, std::nullopt).end() == 0);
  CHECK(Schedule({.samples = 8, .batch = 4}, std::nullopt).end() == UINT64_MAX);
  CHECK(Schedule({.samples = 8, .batch = 4}, 0).end() == 0);
  CHECK(Schedule({.samples = 8, .batch = 4}, UINT64_MAX).end() == UINT64_MAX);
}

TEST_CASE("indices of huge sets stay 64-bit", "[conductor]") {
  const Schedule schedule({.samples = (1ull << 40) + 7, .batch = 1u << 10}, 1);
  const auto last = schedule.at(schedule.end() - 1);
  CHECK(last.first == 1ull << 40);
  CHECK(last.rows == 7);
}
