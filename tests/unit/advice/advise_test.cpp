#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "advice/search.hpp"
#include "base/byte_text.hpp"
#include "plan/resolve.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"
#include "support/text.hpp"
#include "support/units.hpp"
#include "unit/advice/intervals.hpp"

using namespace weir;
using test::Approx;
using test::interval_of;

namespace {

using weir::test::mib;

/// The first lever that changes this. Null if there is none.
const Lever* lever(const Advice& advice, Change change) {
  const auto found = std::ranges::find(advice.levers, change, &Lever::change);
  return found == advice.levers.end() ? nullptr : &*found;
}

/// For an interval without waits, which judge() calls balanced.
Advice advised(const Interval& interval, AdviceOptions options = {}) {
  options.predict_verdict = true;
  return advise(interval, options);
}

/// Checks the properties of every advice.
void check_promises(const Advice& advice, double target = 0.99) {
  const auto &to = advice.recommended, &best = advice.ceiling;
  CHECK(to.samples_per_s >= 0.99 * best.samples_per_s);
  CHECK(to.data_readiness >= std::min(target, best.data_readiness - 0.01));
  CHECK(to.total_bytes <= best.total_bytes);
  CHECK(best.samples_per_s >= 0.999 * advice.now.samples_per_s);
  CHECK(advice.sentence == describe(advice.verdict));
  std::tuple before{-1e9, false, std::int64_t{0}};
  for (const auto& one : advice.levers) {
    CAPTURE(one.title, one.gain.value_or(0));
    // Ranked by gain as it is printed, unknown gains last. Of equal gains, what keeps the
    // pixels first, then the fewest bytes.
    const bool other_pixels = one.change == Change::decode || one.change == Change::filter;
    const std::tuple rank(-std::round(100 * one.gain.value_or(0)), other_pixels, one.bytes);
    CHECK(rank >= before);
    before = rank;
    CHECK(one.sentence.starts_with(one.title + ": "));
    CHECK((one.gain.value_or(0) >= 1.02 || one.bytes < 0 || one.basis == Basis::unknown ||
           one.result.data_readiness >= advice.now.data_readiness + 0.02));
    CHECK((one.basis == Basis::unknown) == !one.gain);
    CHECK(one.flag.empty() == one.code.empty());
    if (one.gain) CHECK(*one.gain == Approx(one.result.samples_per_s / advice.now.samples_per_s));
  }
}

}  // namespace

TEST_CASE("one worker and the smallest queue do if the consumer is slow", "[plan]") {
  const auto advice = advised(interval_of({0.05, 3, 200, 0.5}));
  check_promises(advice);
  CHECK(advice.recommended.setting.max_queue_size == 1);
  CHECK(advice.recommended.setting.workers == 1);
  CHECK(advice.recommended.setting.read_ahead == 0);
  CHECK(advice.recommended.data_readiness >= 0.99);
  CHECK(advice.verdict.regime == Regime::consumer);
  CHECK(advice.sentence.starts_with("Consumer-bound: the workers wait "));
  REQUIRE(advice.levers.size() == 2);
  CHECK(advice.levers[0].change == Change::trainer);
  CHECK(advice.levers[0].from == "200 ms a batch");
  CHECK(advice.levers[0].to == "100 ms a batch");
  CHECK(advice.levers[0].gain.value() == Approx(2).epsilon(0.02));
  CHECK(advice.levers[0].flag.empty());
  CHECK(advice.levers[1].why == "It saves memory");
  CHECK(advice.levers[1].bytes < 0);
  CHECK(advice.levers[1].flag == "--workers 1 --max-queue-size 1");
}

TEST_CASE("advice for slow decoding is cheaper decodes, no deeper queue", "[plan]") {
  auto interval = interval_of({0.05, 3, 10, 0.5});
  const auto advice = advised(interval);
  check_promises(advice);
  CHECK(advice.recommended.setting.workers == 2);
  CHECK(advice.recommended.setting.max_queue_size <= 2);
  CHECK(advice.sentence.starts_with("Decode-bound: the consumer waits "));
  CHECK(advice.sentence.ends_with("of that for decoding."));
  for (const auto& one : advice.levers) CHECK(one.result.setting.max_queue_size <= 4);
  CHECK(advice.levers.front().change == Change::data);
  CHECK(advice.levers.front().gain.value() == Approx(2).epsilon(0.05));
  // A pack with smaller images would lose 16 bits, alpha and classes.
  for (const auto pixels : {PixelFormat::rgb8, PixelFormat::grey8, PixelFormat::rgba8,
                            PixelFormat::grey16, PixelFormat::rgb16, PixelFormat::stored8}) {
    interval.plan.pixels = pixels;
    const auto* const data = lever(advised(interval), Change::data);
    REQUIRE(data);
    CAPTURE(to_string(pixels));
    CHECK((data->why.find("weir pack DATA OUT --short-side ") != std::string::npos) ==
          (pixels == PixelFormat::rgb8 || pixels == PixelFormat::grey8));
  }
  // A patch is not resized, so another size would show other parts.
  auto patches = interval;
  patches.plan.pixels = PixelFormat::rgb8;
  auto origin = *patches.plan.origin;
  origin.options.fit = Fit::patch;
  patches.plan.origin = std::make_shared<const plan::Origin>(std::move(origin));
  CHECK(lever(advised(patches), Change::data)->why.find("short-side") == std::string::npos);
  const auto* const unknown = lever(advice, Change::decode);
  REQUIRE(unknown);
  CHECK(unknown == &advice.levers.back());
  CHECK(unknown->basis == Basis::unknown);
  CHECK(unknown->flag == "--decode fast");
  CHECK_FALSE(lever(advice, Change::filter));

  // With measured decodes, their effect is predicted and ranked.
  Options options;
  options.filter = Filter::antialiased;
  interval = interval_of({0.05, 3, 10, 0.5}, 2, options);
  const auto measured =
      advised(interval, {.decodes = {.fast = 0.25, .bilinear = 0.8, .tiles = 0.5}});
  check_promises(measured);
  CHECK(measured.levers.front().change == Change::decode);
  CHECK(measured.levers.front().gain.value() == Approx(4).epsilon(0.05));
  CHECK(measured.levers.front().why.find("measured: 0.75 ms a decode instead of 3.00 ms") !=
        std::string::npos);
  REQUIRE(lever(measured, Change::filter));
  CHECK(lever(measured, Change::filter)->gain.value() == Approx(1.25).epsilon(0.03));
  REQUIRE(lever(measured, Change::tiles));
  CHECK(lever(measured, Change::tiles)->gain.value() == Approx(2).epsilon(0.04));
  CHECK(lever(measured, Change::tiles)->flag.empty());
  CHECK(lever(measured, Change::tiles)->title == "tiles none → 16 a row");
  // Without effect, or set already, they are no levers.
  options.decode = Decode::fast;
  interval = interval_of({0.05, 3, 10, 0.5}, 2, options);
  const auto none = advised(interval, {.decodes = {.bilinear = 1.0, .tiles = 0.99}});
  CHECK_FALSE(lever(none, Change::decode));
  CHECK_FALSE(lever(none, Change::filter));
  CHECK_FALSE(lever(none, Change::tiles));
}

TEST_CASE("advice for slow reads is read_ahead, only as far as it helps", "[plan]") {
  const auto advice = advised(interval_of({50, 3, 100, 0.2}));
  check_promises(advice);
  const auto ahead = advice.recommended.setting.read_ahead;
  // A small number: 320 samples/s of 50 ms are 16 reads under way.
  CHECK(ahead >= 16);
  CHECK(ahead <= 32);
  CHECK(advice.recommended.data_readiness >= 0.99);
  CHECK(advice.sentence.starts_with("Storage-bound: the consumer waits "));
  CHECK(advice.levers.front().flag.starts_with("--read-ahead "));
  CHECK(advice.levers.front().gain.value() > 7);
  REQUIRE(lever(advice, Change::read_ahead));
  CHECK(lever(advice, Change::read_ahead)->gain.value() > 7);
  CHECK_FALSE(lever(advice, Change::max_queue_size));
  AdviceOptions few;
  few.most_read_ahead = 4;
  const auto starved = advised(interval_of({50, 3, 100, 0.2}), few);
  check_promises(starved);
  CHECK(starved.recommended.setting.read_ahead == 4);
  CHECK(lever(starved, Change::storage));
  few.most_read_ahead = 0;
  CHECK(advise(interval_of({50, 3, 100, 0.2}), few).recommended.setting.read_ahead == 0);
}

TEST_CASE("a balanced pair with jitter gets just the depth it needs", "[plan]") {
  const auto interval = interval_of({0.05, 3, 58, 0.5, 1.0});
  const auto advice = advised(interval);
  check_promises(advice);
  const auto& to = advice.recommended;
  CHECK(to.setting.max_queue_size > 4);
  CHECK(to.setting.max_queue_size < 64);
  CHECK(to.data_readiness >= 0.99);
  REQUIRE(lever(advice, Change::max_queue_size));
  CHECK(lever(advice, Change::max_queue_size)->result.setting == to.setting);
  // One slot less misses the target.
  auto less_deep = to.setting;
  --less_deep.max_queue_size;
  const auto down = predict(interval, less_deep);
  CHECK((down.data_readiness < 0.99 || down.samples_per_s < 0.99 * advice.ceiling.samples_per_s));
  // A lower target needs less.
  AdviceOptions lenient;
  lenient.target_readiness = 0.9;
  const auto less = advise(interval_of({0.05, 3, 58, 0.5, 1.0}), lenient);
  check_promises(less, 0.9);
  CHECK(less.recommended.setting.max_queue_size < to.setting.max_queue_size);
}

TEST_CASE("workers are no more than it takes", "[plan]") {
  // 64 cores, 3 ms for each decode, a target of 3200 samples/s: at least ten workers.
  const auto advice = advise(interval_of({0.05, 3, 10, 0.3, 0.1}, 64));
  check_promises(advice);
  CHECK(advice.recommended.setting.workers >= 10);
  CHECK(advice.recommended.setting.workers <= 14);
  AdviceOptions few;
  few.most_workers = 4;
  const auto held = advise(interval_of({0.05, 3, 10, 0.3, 0.1}, 64), few);
  CHECK(held.recommended.setting.workers == 4);
  // The workers are not enough, and no more are allowed.
  CHECK_FALSE(lever(held, Change::workers));
}

TEST_CASE("a queue with one bound from below and above keeps its depth", "[plan]") {
  // Without bounds, the advice is a deeper queue or a smaller one.
  for (const auto& times : {test::Times{0.05, 3, 58, 0.5, 1.0}, test::Times{0.05, 3, 200, 0.5}}) {
    const auto advice = advised(interval_of(times), {.least_queue = 4, .most_queue = 4});
    check_promises(advice);
    for (const auto* to : {&advice.now, &advice.recommended, &advice.ceiling})
      CHECK(to->setting.max_queue_size == 4);
    for (const auto& one : advice.levers)
      if (one.basis != Basis::unknown) CHECK(one.result.setting.max_queue_size == 4);
  }
}

TEST_CASE("advice stays within the budget and says what that rules out", "[plan]") {
  // A sanitizer checks the computation, which is the same for all budgets.
  const auto budgets = test::sanitized ? std::vector{24 * mib, 1024 * mib}
                                       : std::vector{20 * mib, 32 * mib, 1024 * mib};
  for (const std::uint64_t budget : budgets) {
    for (const auto& times :
         {test::Times{0.05, 3, 58, 0.5, 1.0}, test::Times{50, 3, 60, 0.5, 0.5}}) {
      AdviceOptions options;
      options.budget_bytes = budget;
      const auto advice = advise(interval_of(times), options);
      CHECK(advice.recommended.total_bytes <= budget);
      CHECK(advice.ceiling.total_bytes <= budget);
      const auto flag = "--memory-budget " + byte_text(budget);
      CHECK(advice.flags.find(flag) != std::string::npos);
      for (const auto& one : advice.levers)
        if (one.change <= Change::settings) CHECK(one.result.total_bytes <= budget);
      // Twice the budget is a lever where the budget is the limit.
      const auto* const more = lever(advice, Change::budget);
      if (budget <= 20 * mib) REQUIRE(more);
      if (more) {
        CHECK(more->to == std::to_string(2 * budget / mib) + "MiB");
        CHECK(more->flag.starts_with("--memory-budget " + more->to));
        CHECK(more->result.total_bytes <= 2 * budget);
        CHECK(budget <= 32 * mib);
      }
    }
  }
  AdviceOptions none;
  none.budget_bytes = mib;
  CHECK_THROWS_AS(advise(interval_of({0.05, 3, 50}), none), Error);
}

TEST_CASE("advice keeps some reads ahead if not all fit the budget", "[plan]") {
  // Two workers could use 66 reads under way. Three slabs leave room for about 32.
  Options tight;
  tight.memory.budget_bytes = 19 * mib;
  const auto interval = interval_of({50, 1.5, 5, 0.2}, 2, tight);
  const auto advice = advise(interval);
  check_promises(advice);
  auto setting = setting_of(interval.plan);
  setting.max_queue_size = 1;
  for (const std::uint32_t read_ahead : {4u, 8u, 16u, 32u}) {
    setting.read_ahead = read_ahead;
    CHECK(advice.ceiling.samples_per_s >= 0.95 * predict(interval, setting).samples_per_s);
  }
}

TEST_CASE("advice gives a tight budget's room to reads, not to workers", "[plan]") {
  // Eight workers could use 64 reads ahead. Two slabs leave room for about eight of them and one worker.
  Options tight;
  tight.memory.budget_bytes = 19 * mib;
  const auto interval = interval_of({50, 3, 2}, 1, tight);
  AdviceOptions most;
  most.most_workers = 8;
  const auto advice = advise(interval, most);
  check_promises(advice);
  auto setting = setting_of(interval.plan);
  setting.max_queue_size = setting.workers = 1;
  setting.read_ahead = 8;
  CHECK(advice.recommended.samples_per_s >= 0.98 * predict(interval, setting).samples_per_s);
}

TEST_CASE("a budget of the plan binds as one of the options does", "[plan]") {
  Options options;
  options.memory.budget_bytes = 32 * mib;
  const auto advice = advise(interval_of({0.05, 3, 58, 0.5, 1.0}, 2, options));
  CHECK(advice.recommended.total_bytes <= 32 * mib);
  CHECK(test::contains(advice.code, "options.memory.budget_bytes = 33554432;"));
  options.memory.ledger = std::make_shared<MemoryLedger>(32 * mib);
  const auto shared = advise(interval_of({0.05, 3, 58, 0.5, 1.0}, 2, options));
  CHECK(test::contains(shared.code,
                       "options.memory.ledger = std::make_shared<weir::MemoryLedger>(33554432);"));
}

TEST_CASE("another consumer than the interval's may be asked about", "[plan]") {
  auto interval = interval_of({0.05, 3, 0, 0.5});
  CHECK(advised(interval).verdict.regime == Regime::decode);
  interval.consumer = {100, 0.2, 0.01};
  const auto advice = advised(interval);
  CHECK(advice.verdict.regime == Regime::consumer);
  CHECK(advice.basis == Basis::predicted);
  CHECK(advice.now.samples_per_s > 159);
  CHECK(advice.now.samples_per_s < 161);
}

TEST_CASE("a verdict comes from the interval itself if it was measured", "[plan]") {
  auto interval = interval_of({0.05, 3, 10, 0.5});
  interval.seconds = 10;
  interval.consumer_wait_s = 8.7;
  interval.storage_wait_s = 8.5;
  interval.workers = {.decode_s = 1, .storage_wait_s = 9};
  const auto advice = advise(interval);
  CHECK(advice.basis == Basis::measured);
  CHECK(advice.sentence ==
        "Storage-bound: the consumer waits 87 % of its time, 98 % of that for reads.");
  CHECK(advised(interval).verdict.regime == Regime::decode);
  Verdict verdict{
      .regime = Regime::balanced, .consumer_wait = 0.04, .producer_wait = 0.07, .why = ""};
  CHECK(describe(verdict) ==
        "Balanced: the consumer waits 4 % of its time, the workers 7 % of theirs.");
  verdict = {.regime = Regime::memory, .consumer_wait = 0.5, .memory_wait = 0.4, .why = ""};
  CHECK(describe(verdict) ==
        "Memory-bound: the consumer waits 50 % of its time, 80 % of that for memory.");
}

TEST_CASE("flags and code name the recommended setting", "[plan]") {
  const auto advice = advise(interval_of({20, 3, 60, 0.3, 0.3}));
  const auto& s = advice.recommended.setting;
  CHECK(advice.flags == "--read-ahead " + std::to_string(s.read_ahead) + " --workers " +
                            std::to_string(s.workers) + " --max-queue-size " +
                            std::to_string(s.max_queue_size));
  CHECK(advice.code == "options.io.read_ahead = " + std::to_string(s.read_ahead) +
                           ";\noptions.workers = " + std::to_string(s.workers) +
                           ";\noptions.queue.max_queue_size = " + std::to_string(s.max_queue_size) +
                           ";\n");
}

/// Compiles lines of C++ and compares them with those of a lever.
#define CHECK_CODE(code, ...)                        \
  {                                                  \
    Options options;                                 \
    __VA_ARGS__                                      \
    auto lines = code;                               \
    std::ranges::replace(lines, '\n', ' ');          \
    CHECK(lines == std::string(#__VA_ARGS__) + " "); \
    CHECK_NOTHROW(resolve(options, 0));              \
  }

TEST_CASE("the code of a lever compiles", "[plan]") {
  CHECK_CODE(advice::code_of(Setting{2, 3, 4, 32}), options.io.read_ahead = 4; options.workers = 3;
             options.queue.max_queue_size = 2;)
  CHECK_CODE(advice::code_of(CacheOptions{Cache::decoded, 1048576}),
             options.cache = {weir::Cache::decoded, 1048576};)
  Options smooth;
  smooth.filter = Filter::antialiased;
  const auto advice = advised(interval_of({0.05, 3, 10, 0.5}, 2, smooth));
  REQUIRE((lever(advice, Change::decode) && lever(advice, Change::filter)));
  CHECK_CODE(lever(advice, Change::decode)->code, options.decode = weir::Decode::fast;)
  CHECK_CODE(lever(advice, Change::filter)->code, options.filter = weir::Filter::bilinear;)
}

TEST_CASE("a search of one knob alone finds its smallest best value", "[plan]") {
  const auto interval = interval_of({20, 3, 60, 0.3, 0.3});
  advice::Search search(interval, {});
  for (const auto& knob : advice::knobs) {
    const Setting from{4, 2, 0, 32};
    const auto best = search.alone(from, knob.value);
    REQUIRE(best);
    for (const auto& other : advice::knobs)
      if (other.value != knob.value) CHECK(best->setting.*other.value == from.*other.value);
    for (const std::uint32_t value : {1u, 2u, 8u, 32u}) {
      auto tried = from;
      tried.*knob.value = value;
      const auto found = search.at(tried);
      if (!found) continue;
      CAPTURE(knob.name, value);
      CHECK(found->samples_per_s <= 1.011 * best->samples_per_s);
    }
  }
}

TEST_CASE("no setting of a small grid is as good with fewer bytes", "[plan]") {
  AdviceOptions options;
  options.most_queue = 4;
  options.most_read_ahead = 8;
  for (const auto& times : {test::Times{0.05, 3, 58, 0.5, 1.0}, test::Times{0.05, 3, 10, 0.5},
                            test::Times{10, 3, 100, 0.2}, test::Times{20, 3, 60, 0.3, 0.3}}) {
    const auto interval = interval_of(times);
    const auto advice = advise(interval, options);
    const auto& best = advice.ceiling;
    const double ready = best.data_readiness >= 0.99 ? 0.99 : best.data_readiness - 0.01;
    for (std::uint32_t depth = 1; depth <= options.most_queue; ++depth)
      for (std::uint32_t workers = 1; workers <= interval.cores; ++workers)
        for (std::uint32_t ahead = 0; ahead <= options.most_read_ahead; ++ahead) {
          const auto at = predict(interval, {depth, workers, ahead, interval.plan.batch});
          CAPTURE(times.read, times.consumer, depth, workers, ahead);
          CHECK(at.samples_per_s <= 1.01 * best.samples_per_s);
          if (at.samples_per_s >= 0.99 * best.samples_per_s && at.data_readiness >= ready)
            CHECK(at.total_bytes >= advice.recommended.total_bytes);
        }
  }
}

TEST_CASE("advice is pure", "[plan]") {
  const auto interval = interval_of({5, 3, 58, 0.5, 1.0});
  const auto a = advise(interval), b = advise(interval);
  CHECK(a.recommended.setting == b.recommended.setting);
  CHECK(a.recommended.samples_per_s == b.recommended.samples_per_s);
  CHECK(a.sentence == b.sentence);
  REQUIRE(a.levers.size() == b.levers.size());
  for (std::size_t i = 0; i < a.levers.size(); ++i)
    CHECK(a.levers[i].sentence == b.levers[i].sentence);
}

TEST_CASE("an interval without any time in it is no trouble", "[plan]") {
  const auto advice = advise(interval_of({0, 0, 0}));
  CHECK(advice.recommended.samples_per_s >= 0.99 * advice.ceiling.samples_per_s);
}

TEST_CASE("a change that only makes batches ready says so", "[plan]") {
  Prediction now;
  now.samples_per_s = 500;
  now.data_readiness = 0.97;
  Lever lever;
  lever.title = "a change";
  lever.gain = 1.0;
  lever.bytes = 27 << 20;
  lever.result = now;
  CHECK(advice::lever_text(lever, now) ==
        "a change: as fast (500 to 500 samples/s), 27.00 MiB more, predicted.");
  lever.result.data_readiness = 1;
  CHECK(advice::lever_text(lever, now) ==
        "a change: as fast (500 to 500 samples/s), a batch is ready for 100 % of the requests, "
        "not for 97 %, 27.00 MiB more, predicted.");
}

TEST_CASE("wishes that cannot be are refused", "[plan]") {
  const auto interval = interval_of({0.05, 3, 50});
  AdviceOptions options;
  options.target_readiness = 1.5;
  CHECK_THROWS_AS(advise(interval, options), Error);
  options.target_readiness = 0.9;
  options.most_queue = 0;
  CHECK_THROWS_AS(advise(interval, options), Error);
  options.most_queue = 2;
  options.least_queue = 3;
  CHECK_THROWS_AS(advise(interval, options), Error);
  CHECK_THROWS_AS(advise(interval, {.most_workers = 0}), Error);
  CHECK_THROWS_AS(advise(Interval{}), Error);
}
