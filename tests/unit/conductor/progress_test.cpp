// Schedule and Progress against sets of positions that a plain model keeps.
#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "conductor/intervals.hpp"
#include "conductor/progress.hpp"
#include "conductor/schedule.hpp"
#include "support/catch.hpp"
#include "weir/error.hpp"

using namespace weir;
using namespace weir::conductor;
using test::has_text;

namespace {

using Place = std::pair<std::uint64_t, std::uint64_t>;  // epoch, position

/// The numbers of a set, one by one.
std::vector<std::uint64_t> numbers_of(std::span<const Progress::Run> set) {
  std::vector<std::uint64_t> numbers;
  for (const auto& run : set)
    for (std::uint64_t i = 0; i < run.times; ++i)
      for (auto n = run.first; n < run.end; ++n) numbers.push_back(n + i * run.distance);
  return numbers;
}

std::vector<Place> rows_of(const Schedule& schedule, std::uint64_t sequence) {
  const auto batch = schedule.at(sequence);
  std::vector<Place> rows;
  for (std::uint32_t row = 0; row < batch.rows; ++row)
    rows.emplace_back(batch.epoch, schedule.position(batch, batch.first + row).value());
  return rows;
}

/// The positions of the first `epochs` epochs that do not come again.
std::set<Place> places_of(const std::vector<Progress::Epochs>& listed, std::uint64_t samples,
                          std::uint64_t epochs) {
  std::set<Place> places;
  for (std::uint64_t epoch = 0; epoch < std::min(epochs, listed.front().first); ++epoch)
    for (std::uint64_t i = 0; i < samples; ++i) places.emplace(epoch, i);
  for (const auto& each : listed)
    for (auto epoch = each.first; epoch < std::min(epochs, each.first + each.count); ++epoch) {
      for (const auto i : numbers_of(each.done)) places.emplace(epoch, i);
      for (auto i = each.end; i < samples; ++i) places.emplace(epoch, i);
    }
  return places;
}

Progress state(const Batching& batching, std::vector<Progress::Epochs> epochs) {
  return {.fingerprint = "f", .samples = batching.samples, .epochs = std::move(epochs)};
}

}  // namespace

TEST_CASE("runs are sets of numbers", "[conductor][resume]") {
  RandomStream random(5);
  const auto to = [&](std::uint64_t n) { return random.below(n); };
  constexpr std::uint64_t end = 100;
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    std::vector<Runs> sets(1 + to(4));
    std::set<std::uint64_t> all;
    for (auto& set : sets)
      for (std::uint64_t from = to(20); from < end + 10;) {
        Progress::Run run{.first = from, .end = from + 1 + to(6)};
        if (to(2) == 0) {
          run.distance = run.end - run.first + 1 + to(6);
          run.times = 2 + to(9);
        }
        from = run.end + (run.times - 1) * run.distance + to(9);
        set.push_back(run);
      }
    std::vector<std::span<const Progress::Run>> views(sets.begin(), sets.end());
    for (const auto& set : sets)
      for (const auto n : numbers_of(set))
        if (n < end) all.insert(n);
    const auto joint = joined(views, end);
    REQUIRE(std::ranges::equal(numbers_of(joint), all));
    REQUIRE(joined(std::vector<std::span<const Progress::Run>>{joint}, end) == joint);

    const auto rest = without(end, joint);
    for (const auto n : numbers_of(rest)) REQUIRE(all.insert(n).second);
    REQUIRE(all.size() == end);
    const RankedSet ranked(rest);
    const auto numbers = numbers_of(rest);
    REQUIRE(ranked.size() == numbers.size());
    for (std::uint64_t i = 0; i < numbers.size(); ++i) REQUIRE(ranked.at(i) == numbers[i]);
    Progress::Run ranks{.first = to(4), .distance = 4 + to(9), .times = 1};
    ranks.end = ranks.first + 1 + to(3);
    while (ranks.end + ranks.times * ranks.distance <= ranked.size()) ++ranks.times;
    if (ranks.end > ranked.size()) continue;
    RunMaker some;
    ranked.append(ranks, some);
    std::vector<std::uint64_t> expected;
    for (const auto rank : numbers_of({&ranks, 1})) expected.push_back(numbers[rank]);
    REQUIRE(numbers_of(std::move(some).take()) == expected);
  }
}

TEST_CASE("the ranks of a step share the global batch in rank order", "[conductor][ranks]") {
  for (const std::uint32_t world : {1u, 2u, 3u, 4u, 8u})
    for (const std::uint64_t samples : {1ull, 7ull, 16ull, 37ull, 48ull, 61ull})
      for (const bool drop_last : {false, true}) {
        CAPTURE(world, samples, drop_last);
        const Schedule whole({samples, 2 * world, drop_last}, 2);
        std::vector<Schedule> ranks;
        for (std::uint32_t rank = 0; rank < world; ++rank)
          ranks.emplace_back(Batching{samples, 2, drop_last, {rank, world}}, 2);
        for (const auto& rank : ranks) {
          REQUIRE(rank.end() == whole.end());
          REQUIRE(rank.batches_per_epoch() == whole.batches_per_epoch());
        }
        for (std::uint64_t step = 0; step < whole.end(); ++step) {
          std::vector<Place> rows;
          std::uint64_t least = UINT64_MAX, most = 0, omitted = 0;
          for (const auto& rank : ranks) {
            const auto own = rows_of(rank, step);
            rows.insert(rows.end(), own.begin(), own.end());
            least = std::min<std::uint64_t>(least, own.size());
            most = std::max<std::uint64_t>(most, own.size());
            omitted += rank.at(step).omitted;
            CHECK(rank.at(step).global_rows == whole.at(step).rows);
          }
          CHECK(rows == rows_of(whole, step));
          CHECK(most - least <= 1);
          CHECK(omitted == whole.at(step).omitted);
        }
      }
}

TEST_CASE("finished and remaining work cover each position exactly once", "[conductor][resume]") {
  RandomStream random(3);
  const auto to = [&](std::uint64_t n) { return random.below(n); };
  constexpr std::uint64_t epochs = 3;
  for (int round = 0; round < 400; ++round) {
    const std::uint64_t samples = 1 + to(60);
    const bool drop_last = to(3) == 0;
    CAPTURE(round, samples, drop_last);
    std::set<Place> finished;
    Progress saved = state({.samples = samples}, {{.first = 0, .count = 1, .end = samples}});
    // Several jobs, one after the other, each with its own batch and ranks, each stopped.
    for (int job = 0; job < 4; ++job) {
      const auto world = static_cast<std::uint32_t>(1 + to(4));
      const auto batch = static_cast<std::uint32_t>(1 + to(5));
      std::vector<Progress> states;
      for (std::uint32_t rank = 0; rank < world; ++rank) {
        const Batching batching{samples, batch, drop_last, {rank, world}};
        const Schedule schedule(batching, epochs, saved);
        Intervals done;
        // Released in any order, up to some batch; the last job ends.
        const auto up_to = job == 3 ? schedule.end() : to(schedule.end() + 1);
        for (std::uint64_t i = 0; i < up_to; ++i) {
          if (job < 3 && i + 3 > up_to && to(2) == 0) continue;
          if (!done.empty() && done.back().end == i)
            ++done.back().end;
          else
            done.push_back({i, i + 1});
          for (const auto& place : rows_of(schedule, i)) REQUIRE(finished.insert(place).second);
        }
        states.push_back(state(batching, schedule.progress(done, false)));
        check(states.back(), "state");
      }
      const auto merged = Progress::merge(states);
      std::ranges::reverse(states);
      states.push_back(merged);
      REQUIRE(Progress::merge(states) == merged);
      const auto merged_places = places_of(merged.epochs, samples, epochs);
      if (!drop_last) REQUIRE(merged_places == finished);
      REQUIRE(std::ranges::includes(merged_places, finished));
      saved = merged;
    }
    if (!drop_last) {
      CHECK(finished.size() == epochs * samples);
      CHECK(saved.epochs ==
            std::vector<Progress::Epochs>{{.first = epochs, .count = 1, .end = samples}});
    }
  }
}

TEST_CASE("a job with the same batch and ranks resumes with its batches", "[conductor][resume]") {
  const Batching batching{.samples = 47, .batch = 3, .rank = {1, 2}};
  const Schedule whole(batching, 4);
  for (std::uint64_t steps = 0; steps <= whole.end(); ++steps) {
    const Schedule rest(batching, 4, state(batching, whole.progress({{0, steps}}, true)));
    REQUIRE(rest.end() == whole.end() - steps);
    for (std::uint64_t i = 0; i < rest.end(); ++i) {
      REQUIRE(rows_of(rest, i) == rows_of(whole, steps + i));
      REQUIRE(rest.at(i).last == whole.at(steps + i).last);
    }
  }
}

TEST_CASE("the state of a rank stays small over many epochs", "[conductor][resume]") {
  const Batching batching{.samples = 1'281'167, .batch = 64, .rank = {3, 8}};
  const Schedule schedule(batching, std::nullopt);
  const auto epochs = schedule.progress({{0, 89 * schedule.batches_per_epoch() + 1234}}, false);
  REQUIRE(epochs.size() == 2);
  CHECK(epochs[0].count == 89);
  CHECK(epochs[0].done.size() <= 2);
  CHECK(epochs[1].done.size() == 1);
}

TEST_CASE("a state does not grow with the number of steps of a rank", "[conductor][resume]") {
  constexpr std::uint64_t steps = 5'000'000;
  const Batching batching{.samples = 3 * 2 * steps, .batch = 3, .rank = {0, 2}};
  std::vector<Progress> states;
  for (const std::uint32_t rank : {0u, 1u}) {
    auto of = batching;
    of.rank.rank = rank;
    const Schedule schedule(of, 1);
    states.push_back(
        state(batching, schedule.progress({{0, steps - 2}, {steps - 1, steps}}, false)));
    const auto& saved = states.back();
    CHECK(saved.epochs.front().done.size() == 2);
    check(saved, "state");
    const Schedule rest(of, 1, saved);
    CHECK(rest.bytes() < 2048);
    CHECK(rest.end() == steps / 2 + 1);
    const auto batch = rest.at(rest.end() - 1);
    CHECK(rest.position(batch, batch.first).value() == 6 * (steps - 1) + (rank == 0 ? 3 : 2));
    CHECK(rest.progress({{0, rest.end()}}, true).front().first == 1);
  }
  const auto merged = Progress::merge(states);
  CHECK(merged.epochs.front().done ==
        Runs{{.first = 0, .end = 6 * (steps - 2)}, {.first = 6 * (steps - 1), .end = 6 * steps}});
}

TEST_CASE("states with many listed epochs are merged in one pass", "[conductor][resume]") {
  constexpr std::uint64_t epochs = 100'000;
  auto one = state({.samples = 9}, {}), other = one;
  for (std::uint64_t i = 0; i < epochs; ++i) {
    one.epochs.push_back({.first = i, .count = 1, .end = 9, .done = {{0, 1 + i % 2}}});
    other.epochs.push_back({.first = i, .count = 1, .end = 9, .done = {{4, 8 + i % 2}}});
  }
  const auto merged = Progress::merge(std::vector{one, other});
  CHECK(merged.epochs.size() == epochs);
  CHECK(merged.epochs.back().done == Runs{{.first = 0, .end = 2}, {.first = 4, .end = 9}});
}

TEST_CASE("what a foreign state says is safe for a terminal", "[conductor][resume]") {
  const auto one = state({.samples = 9}, {{.first = 0, .count = 1, .end = 9}});
  auto other = one;
  other.fingerprint = "\x1b]0;title\a" + std::string(5'000'000, 'x');
  try {
    (void)Progress::merge(std::vector{one, other});
    FAIL("merged");
  } catch (const Error& error) {
    CHECK_THAT(error.what(), has_text("fingerprint is \\x1b]0;title\\x07xx"));
    CHECK(std::string(error.what()).size() < 1000);
  }
}

TEST_CASE("drop_last cuts what remains, and keeps the cut", "[conductor][resume]") {
  const Batching first{.samples = 50, .batch = 8, .drop_last = true};  // 48 in 6 batches
  const auto saved = state(first, Schedule(first, 1).progress({{0, 2}}, false));
  REQUIRE(saved.epochs.front().end == 48);
  const Batching second{.samples = 50, .batch = 5, .drop_last = true};  // 32 remain: 6 batches
  const Schedule rest(second, 1, saved);
  CHECK(rest.end() == 6);
  CHECK(rest.at(5).omitted == 2);
  CHECK(rows_of(rest, 5).back() == Place{0, 45});
  CHECK(rest.progress({{0, 6}}, false).front().first == 1);
}

TEST_CASE("an epoch keeps the size buckets that it began with", "[conductor][resume][sizes]") {
  const Progress::Buckets of_two{.batches = 2, .sizes = 7}, of_three{.batches = 3, .sizes = 7};
  const Batching first{.samples = 50, .batch = 4, .rank = {0, 2}, .buckets = of_two};
  const auto saved = state(first, Schedule(first, 2).progress({{0, 2}}, true));
  CHECK(saved.epochs.front().buckets == Progress::Buckets{8, 2, 7});
  const Schedule rest({.samples = 50, .batch = 5, .buckets = of_two}, 2, saved);
  CHECK(rest.bucket_rows(rest.at(0)) == 8);
  CHECK(rest.bucket_rows(rest.at(rest.end() - 1)) == 5);
  CHECK(rest.most_bucket_rows() == 8);
  CHECK(rest.progress({{0, 1}}, true).front().buckets.rows == 8);
  // Batches that have more rows than there are samples cut none.
  const Batching large{.samples = 5, .batch = 64, .rank = {0, 2}, .buckets = of_two};
  const auto part = state(large, Schedule(large, 2).progress({{0, 1}}, false));
  CHECK(part.epochs.front().buckets.rows == 6);
  check(part, "state");

  check_buckets(saved, of_two, "state", "here");
  CHECK_THROWS_WITH(check_buckets(saved, of_three, "state", "here"),
                    has_text("state: epoch 0 is partly finished with `sizes.bucket_batches` = 2; "
                             "here it is 3; use 2, or resume a state from the end of an epoch"));
  CHECK_THROWS_WITH(check_buckets(saved, {.batches = 2, .sizes = 8}, "state", "here"),
                    has_text("of other sizes; use the same files"));
  auto other = saved;
  other.epochs.front().buckets.sizes = 8;
  CHECK_THROWS_WITH(Progress::merge(std::vector{saved, other}), has_text("buckets of epoch 0"));
  // An epoch of which nothing is finished gets new buckets.
  other.epochs.front().done.clear();
  check_buckets(other, of_three, "state", "here");
  CHECK(Progress::merge(std::vector{other, saved}) == saved);
  const Schedule anew({.samples = 50, .batch = 5, .buckets = of_three}, 2, other);
  CHECK(anew.progress({{0, 1}}, true).front().buckets == Progress::Buckets{5, 3, 7});
}

TEST_CASE("states of different jobs are not merged", "[conductor][resume]") {
  const auto one = state({.samples = 9}, {{.first = 0, .count = 1, .end = 9, .done = {{0, 4}}}});
  auto other = one;
  other.seed = 7;
  CHECK_THROWS_WITH(Progress::merge(std::vector{one, other}), has_text("seed is 7"));
  CHECK_THROWS_WITH(Progress::merge({}), has_text("at least one state"));
  const auto refused = [&](Progress::Epochs epochs) {
    auto wrong = one;
    wrong.epochs = {std::move(epochs)};
    try {
      check(wrong, "state");
    } catch (const Error&) {
      return true;
    }
    return false;
  };
  CHECK(refused({.first = 0, .count = 0, .end = 9}));
  CHECK(refused({.first = 0, .count = 1, .end = 10}));
  CHECK(refused({.first = 0, .count = 1, .end = 9, .done = {{4, 4}}}));
  CHECK(refused({.first = 0, .count = 1, .end = 9, .done = {{4, 10}}}));
  CHECK(refused({.first = 0, .count = 1, .end = 9, .done = {{0, 2, 1, 2}}}));
  CHECK(refused({.first = 0, .count = 1, .end = 9, .done = {{0, 1, 2, 1ull << 62}}}));
  CHECK(refused({.first = 0, .count = 1, .end = 9, .done = {{0, 4}, {3, 6}}}));
  CHECK(refused({.first = 0, .count = 1, .end = 9, .done = {{4, 6}, {0, 2}}}));
  CHECK(refused({.first = 0, .count = 1, .end = 9, .done = {{0, 1, 3, 2}, {3, 5}}}));
  CHECK(refused({.first = 0, .count = 1, .end = 6, .done = {{0, 7}}}));
  CHECK(refused({.first = 0, .count = 1, .end = 9, .buckets = {11, 1}}));
  CHECK(refused({.first = 0, .count = 1, .end = 9, .buckets = {10, 0}}));
  CHECK_FALSE(refused({.first = 0, .count = 1, .end = 9, .buckets = {10, 1}, .done = {{8, 9}}}));
  auto none = one;
  none.epochs.clear();
  CHECK_THROWS_WITH(check(none, "state"), has_text("has no epochs"));
  auto last = none;
  last.epochs = {{.first = UINT64_MAX, .count = 1}};
  CHECK_THROWS_WITH(check(last, "state"), has_text("is above 9223372036854775808"));
}
