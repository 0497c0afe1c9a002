#include <string>

#include "contract/laws/fixture.hpp"
#include "proof/configurations/images.hpp"
#include "support/catch.hpp"

using namespace weir;
using namespace weir::test;

namespace {

/// The smallest budget that a Loader accepts, by trial.
std::uint64_t least_budget(const AnySource& source, Options options) {
  std::uint64_t refused = 0, accepted = 1ull << 40;
  while (accepted - refused > 1) {
    const auto tried = refused + (accepted - refused) / 2;
    options.memory.budget_bytes = tried;
    try {
      const Loader loader(source, options);
      accepted = tried;
    } catch (const Error& error) {
      REQUIRE(error.code() == Errc::budget_too_small);
      refused = tried;
    }
  }
  return accepted;
}

/// The most that any of `source`'s samples needs, by trial.
std::uint64_t least_sample_bytes(const AnySource& source, Options options) {
  options.memory.budget_bytes.reset();
  options.faults.policy = OnFault::blank;
  std::uint64_t failed = 0, enough = 16u << 20;
  while (enough - failed > 1) {
    const auto tried = failed + (enough - failed) / 2;
    options.memory.max_sample_bytes = tried;
    Loader loader(source, options);
    (void)drain(loader);
    (loader.snapshot().samples.failed == 0 ? enough : failed) = tried;
  }
  return enough;
}

}  // namespace

TEST_CASE("a loader needs its least budget and is refused a byte below", "[R2]") {
  const auto source = synthetic(24, {90, 120});
  for (const std::uint32_t read_ahead : {0u, 4u}) {
    for (const std::uint32_t leases : {1u, 2u}) {
      auto options = small_options();
      options.io.read_ahead = read_ahead;
      options.queue = {6, leases};
      options.memory.max_sample_bytes = 128 << 10;
      const auto least = least_budget(source, options);
      options.memory.budget_bytes = least;
      {
        Loader loader(source, options);
        CHECK(loader.plan().floor_bytes == least);
        CHECK(drain(loader, {.epochs = 2}).indices.size() == 48);
        CHECK(loader.snapshot().samples.failed == 0);
        CHECK(loader.snapshot().memory.peak <= least);
      }
      --*options.memory.budget_bytes;
      CHECK_THROWS_WITH(Loader(source, options), has_text(std::to_string(least)));
    }
  }
}

TEST_CASE("a byte less than a sample needs is a fault with the bytes", "[R2]") {
  const auto jpeg = make_jpeg(90, 70, true), png = make_png(80, 60, true);
  const Files files({&jpeg, &png, &jpeg, &png, &jpeg, &png});
  auto options = small_options();
  options.batch = 2;
  const auto least = least_sample_bytes(files, options);
  options.faults.policy = OnFault::blank;
  for (const std::uint64_t less : {0u, 1u}) {
    options.memory.max_sample_bytes = least - less;
    options.memory.budget_bytes.reset();
    options.memory.budget_bytes = resolve(options, 0).floor_bytes;
    Loader loader(files, options);
    CHECK(drain(loader).indices.size() == 6);
    const auto report = loader.report();
    CHECK(report.fault_count == (less == 0 ? 0 : 3));
    for (const auto& fault : report.faults) {
      CHECK(fault.kind == FaultKind::memory);
      CHECK(fault.reason.find(std::to_string(least)) != std::string::npos);
    }
  }
}
