#include <cerrno>
#include <cstdlib>
#include <exception>
#include <nlohmann/json.hpp>
#include <span>

#include "observe/digest.hpp"
#include "proof/injection/scenarios.hpp"
#include "report/json.hpp"
#include "report/page/page.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"
#include "weir/profile.hpp"

using namespace weir::test;

namespace {

constexpr bool good(const Outcome& outcome) {
  using End = Outcome::End;
  return outcome.end == End::done || outcome.end == End::memory || outcome.end == End::error;
}

template <class Good = bool(const Outcome&)>
void fail_allocations(const Scenario& scenario, std::uint64_t most, std::uint64_t step,
                      const Good& is_good = good) {
  scenario.run();  // creates what is kept permanently
  const auto wrong =
      sweep(scenario, {.call = Call::allocate, .step = step, .error = ENOMEM}, most, is_good);
  for (const auto& line : wrong) UNSCOPED_INFO(line);
  CHECK(wrong.empty());
}

template <class Good = bool(const Outcome&)>
void fail_allocations(const Scenario& scenario, std::uint64_t most, const Good& is_good = good) {
  for (const std::uint64_t step : {0u, 1u}) fail_allocations(scenario, most, step, is_good);
}

void fail_allocations_of_all(std::uint64_t step) {
  const auto most = WEIR_TEST_LONG ? UINT64_MAX : sanitized ? 5 : 40;
  const auto& work = GENERATE(from_range(scenarios()));
  CAPTURE(work.name);
  fail_allocations(work, most, step);
}

}  // namespace

// Two tests, because each runs 10,000 children at every allocation.
TEST_CASE("no allocation that fails does more than fail", "[R1]") { fail_allocations_of_all(0); }

TEST_CASE("no memory from any allocation on does more than fail", "[R1]") {
  fail_allocations_of_all(1);
}

#ifdef WEIR_SHARDS
TEST_CASE("a failed allocation only makes shards and packs fail", "[R1]") {
  const auto most = WEIR_TEST_LONG ? UINT64_MAX : sanitized ? 3 : 12;
  const auto work = GENERATE(
      from_range(std::vector<Scenario>{reading_shards_scenario(false), indexing_shards_scenario(),
                                       packing_scenario(false), going_on_scenario(false)}));
  CAPTURE(work.name);
  fail_allocations(work, most);
}

// libarchive calls exit() if it cannot allocate a string. Two threads must not do so at once.
TEST_CASE("a failed allocation in a shard search fails or calls exit()", "[R1]") {
  const auto most = WEIR_TEST_LONG ? UINT64_MAX : sanitized ? 5 : 40;
  fail_allocations(on_one_cpu(searching_shards_scenario()), most, [](const Outcome& outcome) {
    return good(outcome) || outcome.end == Outcome::End::exited;
  });
}
#endif

// Without an earlier run, so that OpenSSL's first allocations fail, too. Memory that OpenSSL keeps is not a leak.
TEST_CASE("a failed allocation in the first digest only makes it fail", "[R1]") {
  const auto most = WEIR_TEST_LONG ? UINT64_MAX : sanitized ? 5 : 40;
  const Scenario digest{"digest", [] {
                          weir::observe::Digest sha256;
                          sha256.add(std::as_bytes(std::span("weir")));
                          static_cast<void>(std::move(sha256).hex());
                        }};
  const auto calls = run_with(digest, {.call = Call::allocate, .nth = UINT64_MAX}).calls;
  REQUIRE(calls > (WEIR_TEST_OWN_HEAP ? 100u : 0u));  // OpenSSL allocates with malloc
  for (const std::uint64_t step : {0u, 1u}) {
    for (const auto nth : points(calls, most, step)) {
      const auto outcome =
          run_with(digest, {.call = Call::allocate, .nth = nth, .step = step, .error = ENOMEM});
      CAPTURE(nth, step, outcome.words, outcome.complaint);
      // OpenSSL 3.5 waits forever if it has no memory for its first lock.
      const bool waits = OpenSSL_version_num() >= 0x30500000 && outcome.words == "signal 14";
      CHECK((good(outcome) || outcome.words == "SHA-256 is not available" || waits));
      CHECK((outcome.complaint.empty() || outcome.complaint == "memory is left"));
    }
  }
}

namespace {

/// nlohmann's JSON allocates in its destructor, so a failure there calls std::terminate (see main.cpp). Leaving by
/// exit() makes this an outcome of its own.
[[noreturn]] void leave_without_memory() {
  try {
    if (std::current_exception()) throw;
  } catch (const std::bad_alloc&) {
    std::exit(1);
  } catch (...) {
    // The abort below says enough.
  }
  std::abort();
}

std::vector<Scenario> report_scenarios() {
  namespace report = weir::report;
  std::vector<Scenario> all{
      {"tally", [] { static_cast<void>(report::to_json(weir::SampleTally{})); }},
      {"memory", [] { static_cast<void>(weir::MemoryReport{}.json()); }}};
  if (WEIR_TEST_LONG) {
    all.push_back({"run", [] { static_cast<void>(report::run_report("run", {})); }});
    all.push_back(
        {"page", [run = report::envelope("run")] { static_cast<void>(report::page(run)); }});
  }
  return all;
}

}  // namespace

// Few allocations create an object or a list, so the quick tests fail each allocation of small JSON.
TEST_CASE("a failed allocation in a report fails or terminates", "[R1]") {
  const auto work = GENERATE(from_range(report_scenarios()));
  CAPTURE(work.name);
  work.run();
  const auto usual = std::set_terminate(leave_without_memory);
  const auto calls = run_with(work, {.call = Call::allocate, .nth = UINT64_MAX}).calls;
  CHECK(calls > 0);
  for (const auto nth : points(calls, sanitized ? 8 : UINT64_MAX, 0)) {
    const auto outcome = run_with(work, {.call = Call::allocate, .nth = nth, .error = ENOMEM});
    CAPTURE(nth, outcome.words);
    CHECK((good(outcome) || outcome.end == Outcome::End::exited));
  }
  std::set_terminate(usual);
}
