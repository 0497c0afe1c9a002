#include <cerrno>

#include "proof/injection/scenarios.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"

using namespace weir::test;

namespace {

struct Case {
  Call call;
  int error;
};

std::uint64_t most_points() { return WEIR_TEST_LONG ? 2000 : sanitized ? 3 : 16; }
/// Packs sync many files, which takes long.
std::uint64_t fewer_points() { return WEIR_TEST_LONG ? 2000 : sanitized ? 2 : 5; }

using MakeScenario = Scenario (*)(bool all_whole);

/// Fails `call` at points of a scenario: listing and reading a folder, with `blank`. Returns what was
/// wrong.
std::string harm(const Failure& failure, bool may_do_harm, MakeScenario make = reading_scenario,
                 std::uint64_t most = most_points()) {
  const auto reading = make(!may_do_harm);
  reading.run();
  const auto wrong = sweep(reading, failure, most, [may_do_harm](const Outcome& outcome) {
    if (outcome.end == Outcome::End::done) return true;
    return may_do_harm &&
           (outcome.end == Outcome::End::error || outcome.end == Outcome::End::memory);
  });
  std::string all;
  for (const auto& line : wrong) all += line + '\n';
  return all;
}

}  // namespace

TEST_CASE("interrupted calls are made again, short reads go on", "[D7]") {
  // Every third call, because an interruption may follow an interruption.
  const auto call = GENERATE(Call::open, Call::stat, Call::list, Call::read);
  const std::uint64_t step = GENERATE(0u, 3u);
  CHECK(harm({.call = call, .step = step, .error = EINTR}, false) == "");
}

TEST_CASE("reads of one byte at a time give the whole file", "[D7]") {
  const Failure all_short{.call = Call::read, .nth = 1, .step = 1, .error = 0};
  const auto reading = reading_scenario(true);
  reading.run();
  const auto outcome = run_with(reading, all_short);
  CHECK(outcome.words.empty());
  CHECK(outcome.end == Outcome::End::done);
  CHECK(outcome.complaint.empty());
  CHECK(outcome.calls > 12'000);
}

TEST_CASE("calls that fail are a sample's fault or a refusal in words", "[D7]") {
  const auto given = GENERATE(
      Case{Call::open, EMFILE}, Case{Call::open, ENFILE}, Case{Call::open, EIO},
      Case{Call::open, EACCES}, Case{Call::open, ENOMEM}, Case{Call::open, ENOSYS},
      Case{Call::stat, EIO}, Case{Call::list, EIO}, Case{Call::read, EIO}, Case{Call::read, EAGAIN},
      Case{Call::read, ENOMEM}, Case{Call::map, ENOMEM}, Case{Call::map, EAGAIN});
  const std::uint64_t step = GENERATE(0u, 1u);
  CAPTURE(static_cast<int>(given.call), given.error, step);
  // A sanitizer maps memory itself before it has started, so this case is left out.
  if (given.call == Call::map && sanitized) return;
  CHECK(harm({.call = given.call, .step = step, .error = given.error}, true) == "");
}

TEST_CASE("a folder that cannot be listed is refused, not half listed", "[D7]") {
  scenario("index a folder").run();
  const auto call = GENERATE(Call::open, Call::stat, Call::list);
  const auto wrong = sweep(scenario("index a folder"), {.call = call, .error = EIO}, most_points(),
                           [](const Outcome& outcome) {
                             return outcome.end == Outcome::End::error ||
                                    (outcome.end == Outcome::End::done && outcome.calls > 0);
                           });
  for (const auto& line : wrong) UNSCOPED_INFO(line);
  CHECK(wrong.empty());
}

#ifdef WEIR_SHARDS
TEST_CASE("shards and packs repeat interrupted and finish short calls", "[D7]") {
  const auto given = GENERATE(
      Case{Call::open, EINTR}, Case{Call::stat, EINTR}, Case{Call::read, EINTR},
      Case{Call::read, 0}, Case{Call::write, EINTR}, Case{Call::write, 0}, Case{Call::sync, EINTR});
  const std::uint64_t step = GENERATE(0u, 3u);
  CAPTURE(static_cast<int>(given.call), given.error, step);
  const Failure failure{.call = given.call, .step = step, .error = given.error};
  if (given.call != Call::write && given.call != Call::sync)
    CHECK(harm(failure, false, reading_shards_scenario) == "");
  CHECK(harm(failure, false, going_on_scenario, fewer_points()) == "");
}

TEST_CASE("a sample of a shard costs one read and no open") {
  const auto calls = [](Call call, std::uint64_t epochs) {
    return run_with(epochs_of_shards(epochs), {.call = call, .nth = UINT64_MAX}).calls;
  };
  // A loader reads files of /proc at its own times, which adds a few calls to one of the runs.
  CHECK(calls(Call::read, 5) < calls(Call::read, 2) + 2 * 3 * 6);
  CHECK(calls(Call::open, 5) < calls(Call::open, 2) + 3 * 6);
  CHECK(calls(Call::stat, 5) < calls(Call::stat, 2) + 3 * 6);
}

TEST_CASE("shards and packs report a failed call in words", "[D7]") {
  const auto given =
      GENERATE(Case{Call::open, EMFILE}, Case{Call::stat, EIO}, Case{Call::read, EIO});
  const std::uint64_t step = GENERATE(0u, 1u);
  CAPTURE(static_cast<int>(given.call), given.error, step);
  const Failure failure{.call = given.call, .step = step, .error = given.error};
  CHECK(harm(failure, true, reading_shards_scenario) == "");
  CHECK(harm(failure, true, packing_scenario, fewer_points()) == "");
  CHECK(harm(failure, true, going_on_scenario, fewer_points()) == "");
}

TEST_CASE("a pack keeps no half file after a disk error and can go on", "[R6]") {
  const auto given = GENERATE(Case{Call::write, ENOSPC}, Case{Call::sync, EIO},
                              Case{Call::rename, ENOSPC}, Case{Call::list, EIO});
  const std::uint64_t step = GENERATE(0u, 1u);
  CAPTURE(static_cast<int>(given.call), given.error, step);
  const Failure failure{.call = given.call, .step = step, .error = given.error};
  CHECK(harm(failure, true, packing_scenario, fewer_points()) == "");
  CHECK(harm(failure, true, going_on_scenario, fewer_points()) == "");
}
#endif
