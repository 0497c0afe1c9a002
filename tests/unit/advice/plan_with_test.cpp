#include "advice/plan_with.hpp"

#include <memory>
#include <vector>

#include "plan/resolve.hpp"
#include "support/catch.hpp"
#include "support/units.hpp"
#include "weir/advice.hpp"
#include "weir/ledger.hpp"

using namespace weir;

namespace {

using weir::test::mib;

/// Options that all change what is allocated.
std::vector<Options> all_kinds() {
  std::vector<Options> all(10);
  all[1].memory = {.budget_bytes = 80 * mib, .max_sample_bytes = 9 * mib};
  all[2].memory = {.budget_bytes = 90 * mib, .alignment = 4096};
  all[3].memory.ledger = std::make_shared<MemoryLedger>(120 * mib);
  all[4].transform = {.apply = [](DecodedSample&) {}, .scratch_bytes = 3 * mib};
  all[4].annotation_bytes = 1000;
  all[5].trace.events = 10'000;
  all[5].queue = {.max_leases = 3, .max_bytes = 20 * mib};
  all[6].order = Order::weighted(std::vector<double>(20, 1.0), 24);
  all[6].fit = Fit::random;
  all[7].cache = {Cache::encoded, 7 * mib};
  all[7].ranks = Ranks::given(1, 4);
  all[8].cache.keep = Cache::decoded;
  all[8].memory.budget_bytes = 200 * mib;
  all[8].drop_last = true;
  all[9].tuning.mode = Tuning::automatic;
  for (auto& options : all) {
    options.batch = 16;
    options.workers = 2;
  }
  return all;
}

}  // namespace

TEST_CASE("a plan with its own setting is the same plan", "[plan_with]") {
  std::size_t number = 0;
  for (const auto& options : all_kinds()) {
    CAPTURE(number++);
    const auto plan =
        plan::resolve(options, {.index_bytes = 12'345, .others_promised = 10 * mib, .samples = 20});
    auto setting = setting_of(plan);
    auto again = advice::plan_with(plan, setting, plan.budget_bytes);
    CHECK(setting_of(again) == setting);
    CHECK(again.slab_bytes == plan.slab_bytes);
    CHECK(again.slabs == plan.slabs);
    CHECK(again.max_sample_bytes == plan.max_sample_bytes);
    CHECK(again.read_ahead_bytes == plan.read_ahead_bytes);
    CHECK(again.max_queue_bytes == plan.max_queue_bytes);
    CHECK(again.cache.bytes == plan.cache.bytes);
    CHECK(again.epoch.batches == plan.epoch.batches);
    CHECK(again.ranks == plan.ranks);
    if (options.tuning.mode == Tuning::automatic) continue;  // its records are those of the start
    CHECK(again.index_bytes == plan.index_bytes);
    CHECK(again.promised_bytes == plan.promised_bytes);
    CHECK(again.ceiling_bytes == plan.ceiling_bytes);
  }
}

TEST_CASE("a plan for another budget keeps a requested max_sample_bytes", "[plan_with]") {
  Options options;
  options.workers = 2;
  options.memory = {.budget_bytes = 80 * mib, .max_sample_bytes = 9 * mib};
  const auto requested = resolve(options, 0);
  CHECK(advice::plan_with(requested, setting_of(requested), 160 * mib).max_sample_bytes == 9 * mib);
  options.memory.max_sample_bytes.reset();
  const auto chosen = resolve(options, 0);
  CHECK(advice::plan_with(chosen, setting_of(chosen), 160 * mib).max_sample_bytes >
        chosen.max_sample_bytes);
}

TEST_CASE("a plan that was not resolved predicts nothing", "[plan_with]") {
  CHECK_THROWS_AS(advice::plan_with(Plan{}, Setting{}, {}), Error);
  Plan encoded;
  encoded.decode = Decode::none;
  encoded.workers = 1;
  encoded.sizes.mode = Sizes::ragged;
  CHECK_THROWS_WITH(advice::plan_with(encoded, setting_of(encoded), {}),
                    has_text("`decode` = none: rows are encoded samples"));
}

TEST_CASE("a plan keeps no object of the caller alive", "[plan_with]") {
  const auto held = std::make_shared<int>();
  Options options;
  options.transform.apply = [held](DecodedSample&) {};
  options.memory.ledger = std::make_shared<MemoryLedger>(100 * mib);
  options.watchdog.on_stall = options.tuning.on_move = [held](const std::string&) {};
  const std::weak_ptr<MemoryLedger> ledger = options.memory.ledger;
  const auto plan = resolve(options, 0);
  options = {};
  CHECK(held.use_count() == 1);
  CHECK(ledger.expired());
}
