#include "weir/profile.hpp"

#include <atomic>
#include <thread>

#include "support/catch.hpp"
#include "weir/loader.hpp"

using namespace weir;

namespace {

Options profile_options() {
  Options options;
  options.shape = {16, 16};
  options.fit = Fit::stretch;
  options.batch = 4;
  options.workers = 2;
  return options;
}

}  // namespace

TEST_CASE("a loader's accounts by phase are those of its snapshots", "[profile]") {
  Loader loader(synthetic(64, {24, 24}), profile_options());
  MemoryProfile profile;
  profile.watch("loader", loader.ledger());
  auto stream = loader.stream();
  for (int step = 0; step < 3; ++step) {
    profile.begin_step();
    std::optional<Batch> batch;
    {
      const auto phase = profile.phase("data");
      batch = stream.next();
    }
    REQUIRE(batch);
    {
      const auto phase = profile.phase("step");
      batch.reset();
    }
  }
  const auto slab = loader.plan().slab_bytes;
  for (const auto& step : profile.steps()) {
    CHECK(step["data"].watched[0]["leased"].live == slab);
    CHECK(step["data"].watched[0]["leased"].peak == slab);
    CHECK(step["step"].watched[0]["leased"].live == 0);
    CHECK(step["step"].watched[0]["leased"].peak == slab);
    CHECK(step.whole.watched[0].peak <= loader.snapshot().memory.peak);
  }
}

TEST_CASE("a profile changes no loader's peak and may outlive it", "[profile]") {
  MemoryProfile profile;
  std::uint64_t peak = 0;
  {
    Loader loader(synthetic(16, {24, 24}), profile_options());
    profile.watch("loader", loader.ledger());
    for (Batch& batch : loader.stream()) {
      static_cast<void>(batch);
      profile.begin_step();
      profile.phase("idle").end();
    }
    peak = loader.snapshot().memory.peak;
    CHECK(peak >= 2 * loader.plan().slab_bytes);
    loader.ledger().reset_peak();
  }
  profile.begin_step();
  CHECK(profile.steps().back().whole.watched[0].live == 0);
  std::uint64_t most = 0;
  for (const auto& step : profile.steps()) most = std::max(most, step.whole.watched[0].peak);
  CHECK(most <= peak);
}

TEST_CASE("R15 every allocation of a thread is in one phase or between", "[profile][R15]") {
  CountingResource memory;
  MemoryProfile profile;
  profile.watch("own", memory);
  constexpr std::uint64_t kept = 100, passing = 1'000;
  std::atomic<std::uint64_t> seen{0};
  std::atomic<bool> done{false};
  // One block is allocated and freed in each phase that the other thread opens. Phases follow without a gap.
  std::thread user([&] {
    auto* const account = memory.account("passing");
    while (!done) {
      const std::pmr::vector<char> block(passing, account);
      ++seen;
    }
  });
  std::thread reader([&] {
    while (!done) static_cast<void>(profile.steps());
  });
  const std::pmr::vector<char> base(kept, &memory);
  for (int step = 0; step < 20; ++step) {
    profile.begin_step();
    for (const auto* name : {"forward", "backward"}) {
      const auto before = seen.load();
      const auto phase = profile.phase(name);
      while (seen == before) std::this_thread::yield();
    }
  }
  done = true;
  user.join();
  reader.join();
  for (const auto& step : profile.steps()) {
    CHECK(step.whole.watched[0].peak == kept + passing);
    for (const auto& phase : step.phases) {
      CHECK(phase.watched[0].peak >= kept);
      CHECK(phase.watched[0].peak <= kept + passing);
      CHECK(phase.watched[0]["other"].peak == kept);
    }
  }
}
