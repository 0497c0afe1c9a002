#include <algorithm>
#include <cmath>
#include <numeric>

#include "advice/workload.hpp"
#include "plan/loader_bytes.hpp"
#include "support/catch.hpp"
#include "support/units.hpp"
#include "unit/advice/intervals.hpp"

using namespace weir;
using test::interval_of;
using test::of_batch;
using test::within;

namespace {

using weir::test::mib;

Setting setting(std::uint32_t depth, std::uint32_t workers, std::uint32_t read_ahead = 0,
                std::uint32_t batch = 32) {
  return {.max_queue_size = depth, .workers = workers, .read_ahead = read_ahead, .batch = batch};
}

}  // namespace

TEST_CASE("a rank with padding rows delivers less in the same steps", "[plan][ranks]") {
  // Each epoch of this rank is three full batches and one of a padding row.
  auto interval = interval_of({0.05, 0.5, 40});
  interval.samples = interval.batches * 3 / 4 * interval.plan.batch;
  const auto full = interval_of({0.05, 0.5, 40});
  const auto setting = setting_of(interval.plan);
  CHECK(within(predict(interval, setting).samples_per_s,
               0.75 * predict(full, setting).samples_per_s, 0.02));
}

TEST_CASE("constant times give the throughput of the slowest station", "[plan]") {
  // D/D/1: one worker; then several on fewer cores; then a slower consumer.
  CHECK(within(predict(interval_of({0, 2, 0}, 1), setting(2, 1)).samples_per_s, 500, 0.001));
  CHECK(within(predict(interval_of({0, 2, 0}, 4), setting(2, 4)).samples_per_s, 2000, 0.01));
  CHECK(within(predict(interval_of({0, 2, 0}, 2), setting(2, 8)).samples_per_s, 1000, 0.01));
  const auto bound = predict(interval_of({0, 2, 100}, 2), setting(4, 2));
  CHECK(within(bound.samples_per_s, 320, 0.001));
  CHECK(bound.data_readiness == 1.0);
  CHECK(bound.consumer_wait < 1e-6);
  const auto starved = predict(interval_of({0, 2, 16}, 2), setting(4, 2));
  CHECK(within(starved.samples_per_s, 1000, 0.01));
  CHECK(starved.data_readiness == 0.0);
  CHECK(within(starved.consumer_wait, 0.5, 0.02));
}

TEST_CASE("a queue of one batch makes producer and consumer take turns", "[plan]") {
  // max_queue_size 1: the next batch begins when this one is leased. So a period is the longer of
  // the two times, not their sum, as without a queue.
  const auto one = predict(interval_of({0, 2, 60}, 1), setting(1, 1));
  CHECK(within(one.samples_per_s, 32 / 0.064, 0.001));
  CHECK(one.slabs == 2);
}

TEST_CASE("reads ahead overlap: as many in 200 ms as are outstanding", "[plan]") {
  const auto interval = interval_of({200, 1, 0}, 2);
  CHECK(within(predict(interval, setting(4, 2, 64)).samples_per_s, 64 / 0.2, 0.01));
  CHECK(within(predict(interval, setting(4, 2, 8)).samples_per_s, 8 / 0.2, 0.01));
  // Without readers, each worker waits for its own read.
  CHECK(within(predict(interval, setting(4, 2)).samples_per_s, 2 / 0.201, 0.02));
  // If decoding is slower, it is the limit.
  CHECK(within(predict(interval_of({200, 20, 0}, 2), setting(4, 2, 64)).samples_per_s, 100, 0.01));
  const auto cut = predict(interval, setting(1, 2, 64));
  CHECK(cut.setting.read_ahead == 32);  // limited to the drawn samples, as in the Plan
}

TEST_CASE("a read ahead is outstanding until a worker takes it", "[plan]") {
  // One read ahead, one worker: the next read begins with the decode of the previous sample, so a
  // period is the longer of the two. With more reads ahead, a period would be 3 ms on average.
  const auto one = predict(interval_of({3, 3, 0, 0.8}, 1), setting(4, 1, 1)).samples_per_s;
  CHECK(one < 0.85 * 1e3 / 3);
  CHECK(one > 1e3 / 6);
  CHECK(predict(interval_of({3, 3, 0, 0.8}, 1), setting(4, 1, 8)).samples_per_s > 0.95 * 1e3 / 3);
}

TEST_CASE("reads that copy take a core, reads that wait do not", "[plan]") {
  auto interval = interval_of({1, 1, 0}, 2);
  interval.read_cpu_s = 1e-3;
  CHECK(within(predict(interval, setting(4, 2, 8)).samples_per_s, 1000, 0.01));
  CHECK(within(predict(interval, setting(4, 8)).samples_per_s, 1000, 0.01));
  interval.read_cpu_s = 1e-9;
  CHECK(within(predict(interval, setting(4, 2, 8)).samples_per_s, 2000, 0.01));
}

TEST_CASE("a cycle of two exponential stations matches the product form", "[plan]") {
  // Batches of one sample, one worker, one consumer. The worker stops while Q batches are ready and
  // one is leased, and the consumer while there is none. This is M/M/1/K with K = Q + 1. Its server is
  // idle for p_0 = (1 - r) / (1 - r^(K+1)) of the time, r = lambda / mu (Gross et al., Fundamentals of
  // Queueing Theory, section 2.5). A log-normal of variation 1 is close to an exponential.
  for (const double consumer_ms : {0.8, 1.0, 1.25}) {
    const auto interval = interval_of({0, 1, consumer_ms, 1.0, 1.0}, 1, of_batch(1));
    for (const std::uint32_t depth : {2u, 4u, 8u, 16u}) {
      const double r = consumer_ms;  // arrivals 1 per ms; service 1 / consumer_ms
      const double places = depth + 1;
      const double idle =
          std::abs(r - 1) < 1e-9 ? 1 / (places + 1) : (1 - r) / (1 - std::pow(r, places + 1));
      const double wanted = 1e3 / consumer_ms * (1 - idle);
      const auto got = predict(interval, setting(depth, 1, 0, 1));
      INFO("consumer " << consumer_ms << " ms, depth " << depth << ": " << got.samples_per_s
                       << " for " << wanted);
      CHECK(within(got.samples_per_s, wanted, 0.05));
      CHECK(within(got.consumer_wait, idle, 0.35));
    }
  }
}

TEST_CASE("a deeper queue is never worse", "[plan]") {
  for (const double consumer_ms : {20.0, 48.0, 55.0, 120.0}) {
    const auto interval = interval_of({0.05, 3, consumer_ms, 0.6, 0.8});
    double rate = 0, ready = 0;
    for (const std::uint32_t depth : {1u, 2u, 3u, 4u, 6u, 8u, 12u, 16u, 32u, 64u}) {
      const auto at = predict(interval, setting(depth, 2));
      CHECK(at.samples_per_s >= rate * 0.998);
      CHECK(at.data_readiness >= ready - 0.003);
      rate = at.samples_per_s;
      ready = at.data_readiness;
    }
  }
}

TEST_CASE("a prediction is equal for a seed and close for another one", "[plan]") {
  const auto interval = interval_of({0.05, 3, 50, 0.5, 0.5});
  const auto a = predict(interval, setting(2, 2), 1), b = predict(interval, setting(2, 2), 1);
  CHECK(a.samples_per_s == b.samples_per_s);
  CHECK(a.consumer_wait == b.consumer_wait);
  CHECK(a.data_readiness == b.data_readiness);
  const auto c = predict(interval, setting(2, 2), 2);
  CHECK(c.samples_per_s != a.samples_per_s);
  CHECK(within(c.samples_per_s, a.samples_per_s, 0.02));
}

TEST_CASE("bytes are those of the plan, of any batch and alignment", "[plan]") {
  Options options;
  options.memory.alignment = 4096;
  options.queue.max_leases = 2;
  const auto interval = interval_of({0.05, 3, 50}, 2, options, 12'345);
  options.batch = 48;
  options.queue.max_queue_size = 6;
  options.workers = 2;
  const auto plan = resolve(options, 12'345);
  const auto at = predict(interval, setting(6, 2, 0, 48));
  CHECK(at.staging_bytes == plan.slabs * plan.slab_bytes);
  CHECK(at.total_bytes == at.staging_bytes + plan.index_bytes + 2 * mib);
  CHECK(at.slabs == 8);
  const auto ahead = predict(interval, setting(6, 2, 10, 48));
  CHECK(ahead.total_bytes == at.total_bytes + 10 * (2 * 110'000 + plan::reader_record_bytes));
}

TEST_CASE("annotations and a transform's memory are in predictions", "[plan]") {
  Options options;
  options.memory.alignment = 4096;
  options.annotation_bytes = 777;
  options.transform = {.apply = [](DecodedSample&) {}, .scratch_bytes = 3 * mib};
  const auto interval = interval_of({0.05, 3, 50}, 2, options, 12'345);
  options.batch = 48;
  options.queue.max_queue_size = 6;
  options.workers = 2;
  const auto plan = resolve(options, 12'345);
  const auto at = predict(interval, setting(6, 2, 0, 48));
  CHECK(at.staging_bytes == plan.slabs * plan.slab_bytes);
  // A worker keeps 1 MiB, the pixels of a photograph (1.5 MiB) and the declared scratch memory.
  CHECK(at.total_bytes == at.staging_bytes + plan.index_bytes + 2 * (4 * mib + mib + mib / 2));
}

TEST_CASE("a consumer takes longer over a larger batch", "[plan]") {
  const auto interval = interval_of({0, 1, 64}, 2);
  CHECK(within(predict(interval, setting(4, 2, 0, 64)).samples_per_s, 500, 0.001));
  CHECK(within(predict(interval, setting(4, 2, 0, 8)).samples_per_s, 500, 0.001));
}

TEST_CASE("short batches take the consumer as long as full ones", "[plan]") {
  // Seven batches in each epoch, the last of 8: 200 samples.
  auto interval = interval_of({0, 1, 64}, 2);
  interval.batches = 70;
  interval.samples = 2000;
  CHECK(within(predict(interval, setting(4, 2)).samples_per_s, 200 / (7 * 0.064), 0.01));
  interval.consumer.mean_s = 0;
  CHECK(within(predict(interval, setting(4, 2)).samples_per_s, 2000, 0.02));
}

TEST_CASE("a queue that never fills never gets its slabs", "[plan]") {
  CHECK(predict(interval_of({0, 3, 1}, 2), setting(16, 2)).slabs == 2);
  CHECK(predict(interval_of({0, 3, 400}, 2), setting(16, 2)).slabs == 17);
  CHECK(predict(interval_of({0, 3, 400}, 2), setting(4096, 2)).slabs == 4097);
  // A queue that fills very slowly still fills.
  CHECK(predict(interval_of({0, 3, 48.5}, 2), setting(64, 2)).slabs == 65);
}

TEST_CASE("the peak of a queue that never fills is below its bound", "[plan]") {
  const auto never = predict(interval_of({0, 3, 1}, 2), setting(16, 2));
  CHECK(never.staging_bytes == 17 * never.peak_staging_bytes / 2);
  const auto full = predict(interval_of({0, 3, 400}, 2), setting(16, 2));
  CHECK(full.staging_bytes == full.peak_staging_bytes);
}

TEST_CASE("a prediction takes its verdict from the simulation's clocks", "[plan]") {
  const auto verdict = [](const Interval& interval, const Setting& to) {
    return predict(interval, to).verdict;
  };
  SECTION("reads, of the workers and ahead") {
    const auto own = verdict(interval_of({50, 3, 0, 0.5}, 2), setting(4, 2));
    INFO(own.why);
    CHECK(own.regime == Regime::storage);
    CHECK(within(own.consumer_wait, 1, 0.01));
    // A worker reads for 50 of 53 ms.
    CHECK(within(own.storage_wait, 50.0 / 53, 0.01));
    CHECK(within(own.decode_wait, 3.0 / 53, 0.1));
    const auto ahead = verdict(interval_of({200, 1, 0, 0.5}, 2), setting(4, 2, 8));
    CHECK(ahead.regime == Regime::storage);
    // A core is busy for a fortieth of the time, with other samples than the last of the batch.
    CHECK(ahead.storage_wait > 0.9);
    // More workers than cores. Reads do not wait for cores.
    CHECK(verdict(interval_of({50, 3, 0, 0.5}, 2), setting(4, 8)).regime == Regime::storage);
  }
  SECTION("decoding") {
    const auto decode = verdict(interval_of({0.05, 3, 10, 0.5}, 2), setting(4, 2));
    INFO(decode.why);
    CHECK(decode.regime == Regime::decode);
    CHECK(decode.decode_wait > 0.95 * decode.consumer_wait);
    CHECK(decode.producer_wait < 0.01);
    CHECK(verdict(interval_of({20, 3, 10, 0.5}, 2), setting(4, 2, 64)).regime == Regime::decode);
  }
  SECTION("the consumer") {
    const auto consumer = verdict(interval_of({0.05, 3, 200, 0.5}, 2), setting(4, 2));
    INFO(consumer.why);
    CHECK(consumer.regime == Regime::consumer);
    // Two workers are busy for 48.8 of 200 ms.
    CHECK(within(consumer.producer_wait, 1 - 48.8 / 200, 0.02));
    CHECK(consumer.consumer_wait < 0.01);
  }
  SECTION("the budget") {
    Options options;
    options.memory.budget_bytes = 24 * mib;
    auto interval = interval_of({50, 3, 0, 0.5}, 2, options);
    interval.encoded_bytes = 400e3;
    const auto memory = verdict(interval, setting(1, 2, 32));
    INFO(memory.why);
    CHECK(memory.regime == Regime::memory);
    CHECK(memory.memory_wait > memory.storage_wait);
    options.memory.budget_bytes = 1024 * mib;
    interval = interval_of({50, 3, 0, 0.5}, 2, options);
    interval.encoded_bytes = 400e3;
    CHECK(verdict(interval, setting(1, 2, 32)).memory_wait < 0.01);
  }
  SECTION("nothing") {
    const auto balanced = verdict(interval_of({0.05, 3, 50, 0.2}, 2), setting(8, 2));
    INFO(balanced.why);
    CHECK(balanced.regime == Regime::balanced);
    CHECK(balanced.consumer_wait < 0.1);
    CHECK(balanced.producer_wait < 0.1);
  }
}

TEST_CASE("a verdict's stalls are the consumer's wait", "[plan]") {
  for (const auto& times :
       {test::Times{50, 3, 0, 0.5}, test::Times{5, 3, 40, 0.5, 0.5}, test::Times{0, 3, 47, 0.8}}) {
    for (const auto& to : {setting(1, 2), setting(4, 2), setting(4, 2, 16), setting(2, 8, 4)}) {
      const auto at = predict(interval_of(times, 2), to);
      const auto& verdict = at.verdict;
      CHECK(within(verdict.consumer_wait, at.consumer_wait, 1e-6));
      CHECK(std::abs(verdict.storage_wait + verdict.decode_wait + verdict.memory_wait -
                     verdict.consumer_wait) < 1e-6);
    }
  }
}

TEST_CASE("more workers than cores inflate the measured decode time", "[plan]") {
  // Eight workers on two cores: a decode of 2 ms of CPU time takes 8 ms of wall-clock time.
  Options options;
  options.workers = 8;
  auto interval = interval_of({0, 8, 0}, 2, options);
  interval.seconds = static_cast<double>(interval.samples) * 2e-3 / 2;
  CHECK(within(predict(interval, setting(4, 8)).samples_per_s, 1000, 0.01));
  CHECK(within(predict(interval, setting(4, 2)).samples_per_s, 1000, 0.01));
  CHECK(within(predict(interval, setting(4, 1)).samples_per_s, 500, 0.01));
}

TEST_CASE("a decode counts without the time others had its core", "[plan]") {
  // A decode takes 2 ms of wall-clock time. For 0.4 ms of it, readers copied.
  Options options;
  options.io.read_ahead = 64;
  auto interval = interval_of({50, 2, 0}, 2, options);
  interval.read_cpu_s = 0.2e-3;
  interval.decode_cpu_s = 1.6e-3;
  CHECK(within(predict(interval, setting(4, 2, 128)).samples_per_s, 2 / 1.8e-3, 0.01));
  // With almost no CPU time, a decode waits for something else, and reads need the cores alone.
  interval.decode_cpu_s = 0.1e-3;
  CHECK(within(predict(interval, setting(4, 2, 128)).samples_per_s, 2 / 2e-3, 0.01));
  // With a core for each worker, no other thread could have used it.
  interval = interval_of({0, 2, 0}, 2);
  interval.decode_cpu_s = 1.6e-3;
  CHECK(within(predict(interval, setting(4, 2)).samples_per_s, 1000, 0.01));
}

TEST_CASE("the cost of a sample includes the work around its decode", "[plan]") {
  auto interval = interval_of({0, 2, 0}, 2);
  interval.seconds = static_cast<double>(interval.samples) * 2.1e-3 / 2;
  interval.workers.decode_s = static_cast<double>(interval.samples) * 2.1e-3;
  CHECK(within(predict(interval, setting(4, 2)).samples_per_s, 2 / 2.1e-3, 0.01));
}

TEST_CASE("rows that readers read cost their hand-offs", "[plan]") {
  // 12 us a decode and 5 us around it, reads that wait for 0.1 ms.
  auto interval = interval_of({0.1, 0.012, 0}, 2);
  interval.read_cpu_s = 0;
  interval.workers.decode_s = static_cast<double>(interval.samples) * 17e-6;
  const auto cached = [&](std::uint32_t read_ahead) {
    auto filled = interval;
    filled.plan.cache.keep = Cache::decoded;
    filled.hit_share = 1;
    return predict(filled, setting(4, 2, read_ahead)).samples_per_s;
  };
  const double copy_s = static_cast<double>(interval.plan.row_bytes) / 9e9;
  CHECK(within(cached(0), 2 / (5e-6 + copy_s), 0.02));
  // Workers take cached rows themselves.
  CHECK(within(cached(8), cached(0), 0.02));
  // A reader and a worker have each row, and two cores.
  CHECK(within(predict(interval, setting(4, 2, 64)).samples_per_s, 2 / 22e-6, 0.1));
}

TEST_CASE("a tight budget throttles reads ahead", "[plan]") {
  Options options;
  options.memory.budget_bytes = 24 * mib;
  auto tight = interval_of({50, 3, 0, 0.5}, 2, options), free = interval_of({50, 3, 0, 0.5}, 2);
  tight.encoded_bytes = free.encoded_bytes = 400e3;
  const auto held = predict(tight, setting(1, 2, 32)), loose = predict(free, setting(1, 2, 32));
  CHECK(held.samples_per_s < 0.9 * loose.samples_per_s);
  CHECK(held.samples_per_s > 2 / 0.053);
  CHECK(held.total_bytes <= 24 * mib);
  // The queue is the largest that fits the budget.
  CHECK(predict(tight, setting(16, 2)).setting.max_queue_size == resolve(
                                                                     [&] {
                                                                       auto wish = options;
                                                                       wish.workers = 2;
                                                                       wish.queue.max_queue_size =
                                                                           16;
                                                                       return wish;
                                                                     }(),
                                                                     0)
                                                                     .max_queue_size);
}

TEST_CASE("no evidence, or no setting, is refused", "[plan]") {
  const auto interval = interval_of({0, 3, 1});
  CHECK_THROWS_AS(predict(Interval{}, setting(4, 2)), Error);
  auto empty = interval;
  empty.samples = 0;
  CHECK_THROWS_AS(predict(empty, setting(4, 2)), Error);
  for (const auto& wrong : {setting(0, 2), setting(4, 0), setting(4, 2, 0, 0), setting(4, 2000)})
    CHECK_THROWS_AS(predict(interval, wrong), Error);
}

TEST_CASE("times of zero are no division by zero", "[plan]") {
  const auto at = predict(interval_of({0, 0, 0}), setting(4, 2));
  CHECK(std::isfinite(at.samples_per_s));
  CHECK(at.samples_per_s > 0);
  CHECK(std::isfinite(at.consumer_wait));
}

TEST_CASE("a budget for small samples is simulated with small samples", "[plan]") {
  Options options;
  options.memory.max_sample_bytes = 64 << 10;  // a typical arena has 1 MiB
  options.memory.budget_bytes = resolve(options, 0).floor_bytes + (1 << 20);
  auto interval = interval_of({20, 0.2, 2, 0.5}, 2, options);
  interval.encoded_bytes = 16 << 10;
  CHECK(predict(interval, setting_of(interval.plan)).samples_per_s > 0);
}

TEST_CASE("depths near the advised one are predicted within the budget", "[tune]") {
  Options options;
  options.memory.budget_bytes = 64ull << 20;
  auto interval = interval_of({0.05, 3, 58, 0.5, 1.0}, 2, options);
  const auto depths = [&](std::uint32_t around) {
    std::vector<std::uint32_t> found;
    for (const auto& one : predict_depths(interval, {around, 2, 0, 32})) {
      CHECK(one.setting.workers == 2);
      CHECK(one.samples_per_s > 0);
      found.push_back(one.setting.max_queue_size);
    }
    return found;
  };
  CHECK(depths(1) == std::vector<std::uint32_t>{1, 2, 4, 8});
  CHECK(depths(6) == std::vector<std::uint32_t>{1, 2, 4, 5, 6, 7, 8});
  interval = interval_of({0.05, 3, 58, 0.5, 1.0}, 2);
  CHECK(depths(12) == std::vector<std::uint32_t>{1, 2, 4, 8, 11, 12, 13, 16});
  CHECK(depths(1u << 20).back() == 1u << 20);  // the largest depth
  // A larger depth has at least the throughput and more bytes.
  const auto found = predict_depths(interval, {12, 2, 0, 32});
  for (std::size_t i = 1; i < found.size(); ++i) {
    CHECK(found[i].samples_per_s >= 0.998 * found[i - 1].samples_per_s);
    CHECK(found[i].staging_bytes > found[i - 1].staging_bytes);
  }
  interval.consumer = {1, 0.5, 0};
  CHECK(predict_depths(interval, {4, 2, 0, 32}).front().samples_per_s <= 64.1);
}

TEST_CASE("a run is evidence if it is long, predictable, of one setting", "[tune]") {
  Report figures;
  figures.plan = resolve(Options{.workers = 2}, 0);
  figures.setting = setting_of(figures.plan);
  figures.queue.seconds = 2;
  figures.stages = {{.stage = Stage::decode, .count = 320, .busy_s = 1},
                    {.stage = Stage::handoff, .count = 10}};
  figures.queue.samples = 320;
  REQUIRE(evidence(figures));
  CHECK(evidence(figures)->samples == 320);
  const auto is_none = [&](auto change) {
    auto changed = figures;
    change(changed);
    return !evidence(changed);
  };
  CHECK(is_none([](Report& r) { r.queue.seconds = 0.9; }));
  CHECK(is_none([](Report& r) { r.stages[1].count = 7; }));
  CHECK(is_none([](Report& r) { r.stages[0].count = 0; }));
  CHECK(is_none([](Report& r) { r.moves.emplace_back("read_ahead 0 to 4"); }));
  CHECK(is_none([](Report& r) { r.setting.max_queue_size = 1; }));
  CHECK(is_none([](Report& r) { r.plan.sizes.mode = Sizes::padded; }));
  CHECK(is_none([](Report& r) { r.plan.cache.keep = Cache::decoded; }));
}
