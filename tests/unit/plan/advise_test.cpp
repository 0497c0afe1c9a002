#include <algorithm>
#include <string>

#include "support/catch.hpp"
#include "support/sanitized.hpp"
#include "support/units.hpp"
#include "unit/plan/windows.hpp"

using namespace weir;
using test::window_of;

namespace {

using weir::test::mib;

bool says(const Advice& advice, const std::string& part) {
  return std::ranges::any_of(advice.sentences, [&](const auto& sentence) {
    return sentence.find(part) != std::string::npos;
  });
}

/// Checks the properties of every advice.
void check_promises(const Advice& advice, double target = 0.99) {
  const auto &to = advice.recommended, &best = advice.ceiling;
  CHECK(to.samples_per_s >= 0.99 * best.samples_per_s);
  CHECK(to.data_readiness >= std::min(target, best.data_readiness - 0.01));
  CHECK(to.total_bytes <= best.total_bytes);
  CHECK(best.samples_per_s >= 0.999 * advice.now.samples_per_s);
  CHECK(!advice.sentences.empty());
}

}  // namespace

TEST_CASE("where the consumer is slow, one worker and the smallest queue are enough", "[plan]") {
  const auto advice = advise(window_of({0.05, 3, 200, 0.5}));
  check_promises(advice);
  CHECK(advice.recommended.setting.max_queue_size == 1);
  CHECK(advice.recommended.setting.workers == 1);
  CHECK(advice.recommended.setting.read_ahead == 0);
  CHECK(advice.recommended.data_readiness >= 0.99);
  CHECK(says(advice, "The consumer bounds this"));
  CHECK(says(advice, "Change first: the consumer"));
  CHECK(!says(advice, "No depth will help"));
}

TEST_CASE("where decoding is slow, no depth helps", "[plan]") {
  const auto advice = advise(window_of({0.05, 3, 10, 0.5}));
  check_promises(advice);
  CHECK(advice.recommended.setting.workers == 2);
  CHECK(advice.recommended.setting.max_queue_size <= 2);
  CHECK(says(advice, "Decoding bounds this"));
  CHECK(says(advice, "No depth will help"));
  CHECK(says(advice, "a smaller decode"));
}

TEST_CASE("where reads are slow, read_ahead comes first and no further than it helps", "[plan]") {
  const auto advice = advise(window_of({50, 3, 100, 0.2}));
  check_promises(advice);
  const auto ahead = advice.recommended.setting.read_ahead;
  // A small number: 320 samples/s of 50 ms are 16 reads under way.
  CHECK(ahead >= 16);
  CHECK(ahead <= 32);
  CHECK(advice.recommended.data_readiness >= 0.99);
  CHECK(says(advice, "Change first: read_ahead"));
  AdviceOptions few;
  few.most_read_ahead = 4;
  const auto starved = advise(window_of({50, 3, 100, 0.2}), few);
  check_promises(starved);
  CHECK(starved.recommended.setting.read_ahead == 4);
  CHECK(says(starved, "Storage bounds this"));
  CHECK(says(starved, "No depth will help"));
  few.most_read_ahead = 0;
  CHECK(advise(window_of({50, 3, 100, 0.2}), few).recommended.setting.read_ahead == 0);
}

TEST_CASE("a balanced pair that jitters needs a deep queue, and is given no deeper one", "[plan]") {
  const auto advice = advise(window_of({0.05, 3, 58, 0.5, 1.0}));
  check_promises(advice);
  const auto& to = advice.recommended;
  CHECK(to.setting.max_queue_size > 4);
  CHECK(to.setting.max_queue_size < 64);
  CHECK(to.data_readiness >= 0.99);
  CHECK(says(advice, "Change first: max_queue_size"));
  // One slot less misses the target.
  const auto down = std::ranges::find_if(advice.steps, [&](const Step& step) {
    return step.to.setting.max_queue_size + 1 == to.setting.max_queue_size;
  });
  REQUIRE(down != advice.steps.end());
  CHECK((down->to.data_readiness < 0.99 ||
         down->to.samples_per_s < 0.99 * advice.ceiling.samples_per_s));
  // A lower target needs less.
  AdviceOptions lenient;
  lenient.target_readiness = 0.9;
  const auto less = advise(window_of({0.05, 3, 58, 0.5, 1.0}), lenient);
  check_promises(less, 0.9);
  CHECK(less.recommended.setting.max_queue_size < to.setting.max_queue_size);
}

TEST_CASE("workers are no more than it takes", "[plan]") {
  // 64 cores, 3 ms for each decode, a target of 3200 samples/s: at least ten workers.
  const auto advice = advise(window_of({0.05, 3, 10, 0.3, 0.1}, 64));
  check_promises(advice);
  CHECK(advice.recommended.setting.workers >= 10);
  CHECK(advice.recommended.setting.workers <= 14);
  AdviceOptions few;
  few.most_workers = 4;
  const auto held = advise(window_of({0.05, 3, 10, 0.3, 0.1}, 64), few);
  CHECK(held.recommended.setting.workers == 4);
  CHECK(says(held, "more workers"));
}

TEST_CASE("advice never goes over a budget, and says what the budget keeps away", "[plan]") {
  // A sanitizer checks the computation, which is the same for all budgets.
  const auto budgets = test::sanitized
                           ? std::vector{24 * mib, 1024 * mib}
                           : std::vector{20 * mib, 24 * mib, 32 * mib, 64 * mib, 1024 * mib};
  for (const std::uint64_t budget : budgets) {
    for (const auto& times :
         {test::Times{0.05, 3, 58, 0.5, 1.0}, test::Times{50, 3, 60, 0.5, 0.5}}) {
      AdviceOptions options;
      options.budget_bytes = budget;
      const auto advice = advise(window_of(times), options);
      CHECK(advice.recommended.total_bytes <= budget);
      CHECK(advice.ceiling.total_bytes <= budget);
      for (const auto& step : advice.steps) CHECK(step.to.total_bytes <= budget);
      CHECK(advice.flags.find("--memory-budget " + std::to_string(budget)) != std::string::npos);
      // No step from it is better than the ceiling.
      for (const auto& step : advice.steps)
        CHECK(step.to.samples_per_s <= 1.01 * advice.ceiling.samples_per_s);
      if (budget <= 24 * mib) CHECK(says(advice, "holds it back"));
      if (budget >= 1024 * mib) CHECK(!says(advice, "holds it back"));
    }
  }
  AdviceOptions none;
  none.budget_bytes = mib;
  CHECK_THROWS_AS(advise(window_of({0.05, 3, 50}), none), Error);
}

TEST_CASE("where a budget has no room for all reads ahead, fewer are better than none", "[plan]") {
  // Two workers could use 66 reads under way. Three slabs leave room for about 32.
  Options tight;
  tight.memory.budget_bytes = 19 * mib;
  const auto window = window_of({50, 1.5, 5, 0.2}, 2, tight);
  const auto advice = advise(window);
  check_promises(advice);
  auto setting = setting_of(window.plan);
  setting.max_queue_size = 1;
  for (const std::uint32_t read_ahead : {4u, 8u, 16u, 32u}) {
    setting.read_ahead = read_ahead;
    CHECK(advice.ceiling.samples_per_s >= 0.95 * predict(window, setting).samples_per_s);
  }
}

TEST_CASE("a budget of the plan binds as one of the options does", "[plan]") {
  Options options;
  options.memory.budget_bytes = 32 * mib;
  const auto advice = advise(window_of({0.05, 3, 58, 0.5, 1.0}, 2, options));
  CHECK(advice.recommended.total_bytes <= 32 * mib);
}

TEST_CASE("another consumer than the window's may be asked about", "[plan]") {
  const auto window = window_of({0.05, 3, 0, 0.5});
  CHECK(says(advise(window), "Decoding bounds this"));
  AdviceOptions options;
  options.consumer = Service{100, 0.2, 0.01};
  const auto advice = advise(window, options);
  CHECK(says(advice, "The consumer bounds this"));
  CHECK(advice.now.samples_per_s > 159);
  CHECK(advice.now.samples_per_s < 161);
}

TEST_CASE("flags and code name the recommended setting", "[plan]") {
  const auto advice = advise(window_of({20, 3, 60, 0.3, 0.3}));
  const auto& s = advice.recommended.setting;
  CHECK(advice.flags == "--max-queue-size " + std::to_string(s.max_queue_size) + " --workers " +
                            std::to_string(s.workers) + " --read-ahead " +
                            std::to_string(s.read_ahead));
  CHECK(advice.code == "options.queue.max_queue_size = " + std::to_string(s.max_queue_size) +
                           ";\noptions.workers = " + std::to_string(s.workers) +
                           ";\noptions.io.read_ahead = " + std::to_string(s.read_ahead) + ";\n");
}

TEST_CASE("each step moves one knob by one step and says so", "[plan]") {
  const auto advice = advise(window_of({20, 3, 60, 0.3, 0.3}));
  const auto& s = advice.recommended.setting;
  CHECK(advice.steps.size() >= 4);
  for (const auto& [change, to] : advice.steps) {
    const auto& t = to.setting;
    const int moved = (t.max_queue_size != s.max_queue_size) + (t.workers != s.workers) +
                      (t.read_ahead != s.read_ahead);
    CHECK(moved == 1);
    if (t.max_queue_size != s.max_queue_size)
      CHECK(change == "max_queue_size " + std::to_string(s.max_queue_size) + " to " +
                          std::to_string(t.max_queue_size));
  }
}

TEST_CASE("no setting of a small grid is as good as the advised one for fewer bytes", "[plan]") {
  AdviceOptions options;
  options.most_queue = 6;
  options.most_read_ahead = 12;
  for (const auto& times : {test::Times{0.05, 3, 58, 0.5, 1.0}, test::Times{0.05, 3, 10, 0.5},
                            test::Times{10, 3, 100, 0.2}, test::Times{20, 3, 60, 0.3, 0.3}}) {
    const auto window = window_of(times);
    const auto advice = advise(window, options);
    const auto& best = advice.ceiling;
    const double ready = best.data_readiness >= 0.99 ? 0.99 : best.data_readiness - 0.01;
    for (std::uint32_t depth = 1; depth <= options.most_queue; ++depth)
      for (std::uint32_t workers = 1; workers <= window.cores; ++workers)
        for (std::uint32_t ahead = 0; ahead <= options.most_read_ahead; ++ahead) {
          const auto at = predict(window, {depth, workers, ahead, window.plan.batch});
          CAPTURE(times.read, times.consumer, depth, workers, ahead);
          CHECK(at.samples_per_s <= 1.01 * best.samples_per_s);
          if (at.samples_per_s >= 0.99 * best.samples_per_s && at.data_readiness >= ready)
            CHECK(at.total_bytes >= advice.recommended.total_bytes);
        }
  }
}

TEST_CASE("advice is pure", "[plan]") {
  const auto window = window_of({5, 3, 58, 0.5, 1.0});
  const auto a = advise(window), b = advise(window);
  CHECK(a.recommended.setting == b.recommended.setting);
  CHECK(a.recommended.samples_per_s == b.recommended.samples_per_s);
  CHECK(a.sentences == b.sentences);
}

TEST_CASE("a window without any time in it is no trouble", "[plan]") {
  const auto advice = advise(window_of({0, 0, 0}));
  CHECK(advice.recommended.samples_per_s >= 0.99 * advice.ceiling.samples_per_s);
}

TEST_CASE("wishes that cannot be are refused", "[plan]") {
  const auto window = window_of({0.05, 3, 50});
  AdviceOptions options;
  options.target_readiness = 1.5;
  CHECK_THROWS_AS(advise(window, options), Error);
  options.target_readiness = 0.9;
  options.most_queue = 0;
  CHECK_THROWS_AS(advise(window, options), Error);
  CHECK_THROWS_AS(advise(Window{}), Error);
}
