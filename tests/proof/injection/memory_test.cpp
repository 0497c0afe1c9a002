#include <cerrno>
#include <span>

#include "cli/digest.hpp"
#include "proof/injection/scenarios.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"

using namespace weir::test;

namespace {

constexpr bool good(const Outcome& outcome) {
  using End = Outcome::End;
  return outcome.end == End::done || outcome.end == End::memory || outcome.end == End::error;
}

template <class Good = bool(const Outcome&)>
void fail_allocations(const Scenario& scenario, std::uint64_t most, const Good& is_good = good) {
  scenario.run();  // creates what is kept permanently
  for (const std::uint64_t step : {0u, 1u}) {
    const auto wrong =
        sweep(scenario, {.call = Call::allocate, .step = step, .error = ENOMEM}, most, is_good);
    for (const auto& line : wrong) UNSCOPED_INFO(line);
    CHECK(wrong.empty());
  }
}

}  // namespace

TEST_CASE("no allocation that fails does more than fail", "[R1]") {
  const auto most = WEIR_TEST_LONG ? UINT64_MAX : sanitized ? 5 : 40;
  const auto& work = GENERATE(from_range(scenarios()));
  CAPTURE(work.name);
  fail_allocations(work, most);
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
                          weir::cli::Digest sha256;
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
      CHECK((good(outcome) || outcome.words == "SHA-256 is not available"));
      CHECK((outcome.complaint.empty() || outcome.complaint == "memory is left"));
    }
  }
}
