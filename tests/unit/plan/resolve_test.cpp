#include <string>

#include "plan/loader_bytes.hpp"
#include "support/catch.hpp"
#include "support/slab_bytes.hpp"
#include "support/units.hpp"
#include "weir/plan.hpp"

using namespace weir;
using weir::test::slab_bytes;

namespace {

using weir::test::mib;

std::string refusal(const Options& options, std::uint64_t index_bytes = 0) {
  try {
    resolve(options, index_bytes);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

template <class Change>
std::string refusal_of(Change change) {
  Options options;
  change(options);
  return refusal(options);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a budget one byte below the floor is refused", "[plan]") {
  Options options;
  options.batch = 64;
  options.queue.max_leases = 2;
  const auto slab = slab_bytes(options.shape, 64, 64);
  // weir's own records: of four worker threads, and of the six slabs that there can be.
  options.workers = 4;
  const auto records = 4 * plan::worker_record_bytes + 6 * plan::slab_record_bytes(64, false);
  const auto floor = 1000 + records + 3 * slab + 8 * mib;
  options.memory.budget_bytes = floor;
  const auto plan = resolve(options, 1000);
  CHECK(plan.floor_bytes == floor);
  CHECK(plan.max_queue_size == 1);
  CHECK(plan.max_queue_size_requested == 4);
  CHECK(plan.max_sample_bytes == 8 * mib);
  options.memory.budget_bytes = floor - 1;
  const auto message = refusal(options, 1000);
  CHECK(contains(message, "`memory.budget_bytes` = " + std::to_string(floor - 1)));
  CHECK(contains(message, "this needs at least 35.9MiB: "));  // 35.85
  CHECK(contains(message, "exactly " + std::to_string(floor) + " bytes"));
  CHECK(contains(message, std::to_string(1000 + records) + " bytes of index (" +
                              std::to_string(records) + " bytes of it weir's own records)"));
  CHECK(contains(message, "3 slabs of 9.19 MiB"));
  options.memory.max_sample_bytes = 100;
  CHECK(resolve(options, 1000).floor_bytes == 1000 + records + 3 * slab + 100);
  // No more reads ahead than the queue has rows.
  options.io.read_ahead = 4096;
  CHECK(resolve(options, 1000).floor_bytes ==
        1000 + records + 4 * 64 * plan::reader_record_bytes + 3 * slab + 100);
  options.io.read_ahead = 0;
  options.partners.count = 2;
  options.memory.budget_bytes = floor / 2;
  CHECK(contains(refusal(options, 1000), "100 bytes for one row of 3 samples (`memory"));
}

TEST_CASE("max_sample_bytes is a quarter of the rest unless it is set", "[plan]") {
  Options options;
  const auto slab = slab_bytes(options.shape, options.batch, 64);
  const auto records = resolve(options, 0).record_bytes;
  options.memory.budget_bytes = records + 2 * slab + 400 * mib;
  CHECK(resolve(options, 0).max_sample_bytes == 100 * mib);
  options.memory.budget_bytes = 2 * slab + 20 * mib;
  CHECK(resolve(options, 0).max_sample_bytes == 8 * mib);
  options.memory.budget_bytes.reset();
  CHECK(resolve(options, 0).max_sample_bytes == 256 * mib);
  options.memory.max_sample_bytes = 5;
  CHECK(resolve(options, 0).max_sample_bytes == 5);
}

TEST_CASE("the queue is as deep as fits, but no deeper than requested", "[plan]") {
  Options options;
  options.batch = 64;
  options.workers = 2;
  options.queue.max_queue_size = 64;
  const auto slab = slab_bytes(options.shape, 64, 64);
  for (const std::uint64_t budget : {48 * mib, 96 * mib, 192 * mib}) {
    options.memory.budget_bytes = budget;
    const auto plan = resolve(options, 0);
    CHECK(plan.slabs * slab >= budget / 2);
    CHECK(plan.slabs * slab + plan.max_sample_bytes + 2 * mib <= budget);
    CHECK((plan.slabs + 1) * slab + plan.max_sample_bytes + 2 * mib > budget);
  }
  options.memory.budget_bytes = 1ull << 40;
  CHECK(resolve(options, 0).max_queue_size == 64);
}

TEST_CASE("workers of small samples leave their bytes to the queue", "[plan]") {
  Options options{.shape = {32, 32}, .batch = 64, .workers = 16};
  options.queue.max_queue_size = 6;
  options.memory.max_sample_bytes = 32 << 10;
  const auto ceiling = resolve(options, 0).ceiling_bytes;
  options.memory.budget_bytes = ceiling;  // less than 1 MiB for each worker
  CHECK(ceiling < 16 * mib);
  CHECK(resolve(options, 0).max_queue_size == 6);
}

TEST_CASE("read-ahead is limited by the draws and gets half the rest", "[plan]") {
  Options options;
  options.batch = 2;
  options.queue.max_queue_size = 3;
  options.io.read_ahead = 64;
  auto plan = resolve(options, 0);
  CHECK(plan.read_ahead == 6);
  CHECK_FALSE(plan.read_ahead_bytes);
  options.memory.budget_bytes = 100 * mib;
  plan = resolve(options, 7);
  CHECK(plan.read_ahead_bytes ==
        (100 * mib - plan.index_bytes - plan.slabs * plan.slab_bytes - plan.max_sample_bytes) / 2);
}

TEST_CASE("the floor counts records that are used, not those allowed", "[plan]") {
  Options options;
  options.workers = 1;
  const auto of = [&](std::uint32_t queue, std::uint32_t batch, std::uint64_t samples) {
    options.queue.max_queue_size = queue;
    options.batch = batch;
    return resolve(options, 0, 0, samples).record_bytes;
  };
  CHECK(of(1 << 20, 4, 0) == of(15, 4, 0));
  // A batch has no more rows than the source has samples.
  CHECK(of(4, 1 << 20, 200) == of(4, 200, 200));
  options.queue.max_leases = 1000;
  CHECK(of(2000, 4, 0) == plan::worker_record_bytes + 1024 * plan::slab_record_bytes(4, false));
  // Threads that only automatic tuning may start are not in it.
  const auto fixed = of(4, 4, 0);
  options.tuning = {.mode = Tuning::automatic, .most_workers = 1000, .most_read_ahead = 1000};
  CHECK(of(4, 4, 0) <= fixed + 16 * plan::slab_record_bytes(4, false));
}

TEST_CASE("a shared budget counts less what others were promised", "[plan]") {
  Options options;
  options.memory.budget_bytes = 100 * mib;
  const auto plan = resolve(options, 0, 50 * mib);
  CHECK(plan.ceiling_bytes <= 50 * mib);
  CHECK(plan.promised_bytes <= 50 * mib);
  CHECK_THROWS_AS(resolve(options, 0, 99 * mib), Error);
}

TEST_CASE("depth_cost gives bytes for each depth and element type", "[plan]") {
  Options options;
  options.batch = 64;
  const auto costs = resolve(options, 0).depth_cost(20);
  REQUIRE(costs.size() == 20);
  const std::uint64_t pixels = 64ull * 224 * 224 * 3, slab = slab_bytes(options.shape, 64, 64);
  CHECK(costs[0].staging_bytes == 2 * slab);
  CHECK(costs[19].max_queue_size == 20);
  CHECK(costs[19].staging_bytes == 21 * slab);
  CHECK(costs[19].float16_bytes == 21 * (slab + pixels));
  CHECK(costs[19].float32_bytes == 21 * (slab + 3 * pixels));
  CHECK_THROWS_AS(resolve(options, 0).depth_cost(UINT32_MAX), Error);
  // Stored values are not converted.
  options.pixels = PixelFormat::stored8;
  CHECK(resolve(options, 0).cost_of(1).float16_bytes == std::nullopt);
}

TEST_CASE("the columns of a row add up to the bytes of a slab", "[plan]") {
  Options options;
  options.batch = 1;
  options.memory.alignment = 16;
  options.annotation_bytes = 100;
  options.planes = {{.name = "mask"},
                    {.name = "depth", .pixels = PixelFormat::stored16, .scale = {1, 2}}};
  const auto columns = resolve(options, 0).columns();
  std::vector<std::string> names;
  std::vector<std::uint64_t> bytes;
  for (const auto& column : columns) {
    names.push_back(column.name);
    bytes.push_back(column.bytes);
  }
  CHECK(names == std::vector<std::string>{"image", "mask", "depth", "annotation", "window",
                                          "labels, indices and statuses"});
  // Labels, indices and three statuses, and the length of the annotation.
  CHECK(bytes == std::vector<std::uint64_t>{150'528, 50'176, 2 * 112 * 112, 100, sizeof(Window),
                                            8 + 8 + 3 + 4});
  CHECK(columns[2].size == ImageSize{112, 112});
}

TEST_CASE("annotations are part of the slab and of each plan figure", "[plan]") {
  Options options;
  options.batch = 10;
  options.workers = 2;
  const auto plain = resolve(options, 1000);
  options.annotation_bytes = 1000;
  const auto plan = resolve(options, 1000);
  const std::uint64_t more = 10'048 + 64;  // 10 * 1000 and 10 lengths, each padded to 64
  CHECK(plan.annotation_bytes == 1000);
  CHECK(plan.slab_bytes == plain.slab_bytes + more);
  CHECK(plan.slab_bytes == slab_bytes(options.shape, 10, 64, 1000));
  CHECK(plan.floor_bytes == plain.floor_bytes + 2 * more);
  CHECK(plan.promised_bytes == plain.promised_bytes + 2 * more);
  CHECK(plan.ceiling_bytes == plain.ceiling_bytes + plan.slabs * more);
  // They stay bytes, independent of the pixels' type.
  const auto cost = plan.depth_cost(4)[3], before = plain.depth_cost(4)[3];
  CHECK(cost.staging_bytes == before.staging_bytes + 5 * more);
  CHECK(cost.float16_bytes == *before.float16_bytes + 5 * more);
  CHECK(cost.float32_bytes == *before.float32_bytes + 5 * more);
}

TEST_CASE("a transform's scratch counts in the floor and per worker", "[plan]") {
  Options options;
  options.workers = 2;
  options.queue.max_queue_size = 64;
  options.memory.budget_bytes = 96 * mib;
  const auto plain = resolve(options, 0);
  options.transform.scratch_bytes = 5 * mib;
  auto plan = resolve(options, 0);
  CHECK(plan.transform_bytes == 5 * mib);
  CHECK(plan.floor_bytes == plain.floor_bytes + 5 * mib);
  CHECK(plan.max_queue_size < plain.max_queue_size);  // each worker keeps this memory
  CHECK(plan.slabs * plan.slab_bytes + plan.max_sample_bytes + 2 * 6 * mib <= 96 * mib);
  CHECK_FALSE(plan.whole_images);
  options.transform.apply = [](DecodedSample&) {};
  plan = resolve(options, 0);
  CHECK(plan.whole_images);
  options.memory.budget_bytes = plan.floor_bytes;
  plan = resolve(options, 0);
  CHECK(plan.max_sample_bytes == 13 * mib);
  --*options.memory.budget_bytes;
  CHECK(contains(refusal(options, 0), "13.00 MiB for one sample and `transform.scratch_bytes`"));
  options.memory.budget_bytes.reset();
  CHECK(resolve(options, 0).max_sample_bytes == 261 * mib);
  options.memory.max_sample_bytes = 5 * mib;
  CHECK(resolve(options, 0).max_sample_bytes == 5 * mib);
  options.memory.max_sample_bytes = 5 * mib - 1;
  CHECK(contains(refusal(options, 0),
                 "`memory.max_sample_bytes` = " + std::to_string(5 * mib - 1) +
                     ": must be at least `transform.scratch_bytes`, which is 5242880"));
}

TEST_CASE("what cannot be is refused by option, value and bound", "[plan]") {
  CHECK(contains(refusal_of([](Options& o) { o.batch = 0; }), "`batch` = 0: must be 1 to"));
  CHECK(contains(refusal_of([](Options& o) { o.shape.width = 70'000; }),
                 "`shape` = 224x70000: must be HxW, each 1 to 65500"));
  CHECK(contains(refusal_of([](Options& o) { o.queue.max_queue_size = 0; }),
                 "`queue.max_queue_size` = 0"));
  CHECK(contains(refusal_of([](Options& o) { o.queue.max_leases = 0; }), "`queue.max_leases` = 0"));
  CHECK(
      contains(refusal_of([](Options& o) { o.memory.alignment = 48; }), "`memory.alignment` = 48"));
  CHECK(contains(refusal_of([](Options& o) { o.short_side = 223; }),
                 "`short_side` = 223: must be 224 to"));
  CHECK(contains(refusal_of([](Options& o) { o.faults.tolerate_share = 1.5; }),
                 "faults.tolerate_share"));
  CHECK(contains(refusal_of([](Options& o) { o.workers = 5000; }), "`workers` = 5000"));
  CHECK(contains(refusal_of([](Options& o) {
                   o.short_side = 300;
                   o.fit = Fit::stretch;
                 }),
                 "`short_side` = 300: is for `fit` = center; leave it at its default"));
}

TEST_CASE("0 is a number, and no way to say that there is no limit", "[plan]") {
  CHECK(contains(refusal_of([](Options& o) { o.memory.max_sample_bytes = 0; }),
                 "`memory.max_sample_bytes` = 0: must be 1 to 1125899906842624"));
  CHECK(
      contains(refusal_of([](Options& o) { o.tuning.most_queue = 0; }), "`tuning.most_queue` = 0"));
  CHECK(contains(refusal_of([](Options& o) { o.tuning.most_workers = 0; }),
                 "`tuning.most_workers` = 0"));
  CHECK(contains(refusal_of([](Options& o) { o.sizes.max_width = 0; }), "`sizes.max_width` = 0"));
  CHECK(contains(refusal_of([](Options& o) { o.watchdog.after = std::chrono::milliseconds(0); }),
                 "`watchdog.after` = 0"));
  Options options;
  CHECK(resolve(options, 0).budget_bytes == std::nullopt);
  CHECK(resolve(options, 0).max_queue_bytes == std::nullopt);
  CHECK(contains(refusal_of([](Options& o) { o.queue.max_bytes = 0; }), "`queue.max_bytes` = 0"));
}

TEST_CASE("a bound is a number or measured, and no number is measured", "[plan]") {
  static_assert(ByteBound(UINT64_MAX) != ByteBound::measured);
  static_assert(!ByteBound::measured.bytes() && ByteBound(0).bytes() == 0);
  CHECK(contains(refusal_of([](Options& o) { o.annotation_bytes = UINT64_MAX; }),
                 "`annotation_bytes` = 18446744073709551615: must be"));
  CHECK(contains(refusal_of([](Options& o) { o.annotation_bytes = ByteBound::measured; }),
                 "`annotation_bytes` = measured: a Loader asks its source"));
}

TEST_CASE("a batch that is too large for any budget is refused clearly", "[plan]") {
  Options options;
  options.shape = {65'500, 65'500};
  options.batch = 1u << 20;
  options.memory.budget_bytes = 1ull << 50;
  CHECK(contains(refusal(options), "this needs at least"));
  // Without a budget, nothing holds a queue of more than 2^64 bytes.
  options.memory.budget_bytes.reset();
  options.queue.max_queue_size = 1u << 20;
  CHECK(contains(refusal(options),
                 "`queue.max_queue_size` = 1048576: with `queue.max_leases`, 1048577"));
}

TEST_CASE("an invalid enumerator, null codec or infinite index fails", "[plan]") {
  CHECK(contains(refusal_of([](Options& o) { o.faults.policy = static_cast<OnFault>(99); }),
                 "`faults.policy` = 99: must be one of stop|skip|blank"));
  CHECK(contains(refusal_of([](Options& o) { o.fit = static_cast<Fit>(5); }), "`fit` = 5"));
  CHECK(
      contains(refusal_of([](Options& o) { o.decode = static_cast<Decode>(3); }), "`decode` = 3"));
  CHECK(contains(refusal_of([](Options& o) { o.filter = Filter::nearest; }),
                 "`filter` = nearest: nearest is for stored values, and not for rgb8"));
  CHECK(contains(refusal_of([](Options& o) {
                   o.pixels = PixelFormat::stored8;
                   o.filter = Filter::bilinear;
                 }),
                 "`filter` = bilinear: stored values take nearest alone"));
  CHECK(contains(refusal_of([](Options& o) { o.exif = static_cast<Exif>(2); }), "`exif` = 2"));
  CHECK(contains(refusal_of([](Options& o) { o.tuning.mode = static_cast<Tuning>(2); }),
                 "`tuning.mode` = 2"));
  CHECK(contains(refusal_of([](Options& o) { o.sizes.mode = static_cast<Sizes>(3); }),
                 "`sizes.mode` = 3"));
  CHECK(contains(refusal_of([](Options& o) { o.cache.keep = static_cast<Cache>(3); }),
                 "`cache.keep` = 3"));
  CHECK(contains(refusal_of([](Options& o) { o.transform.input = static_cast<TransformInput>(2); }),
                 "`transform.input` = 2"));
  CHECK(
      contains(refusal_of([](Options& o) { o.codecs.push_back(nullptr); }), "`codecs[0]` is null"));
  CHECK(contains(refusal_of([](Options& o) { o.transform.input = TransformInput::fitted; }),
                 "`transform.input` without `transform.apply`"));
  CHECK(contains(refusal_of([](Options& o) { o.faults.tolerate = 3; }),
                 "`faults.tolerate` = 3: is for `faults.policy` = skip and blank; with stop, the "
                 "first fault ends the run"));
  const auto refusal_of_order = [](Order order) {
    return refusal_of([order](Options& o) { o.order = order; });
  };
  using enum Order::Kind;
  CHECK(contains(refusal_of_order({.kind = shuffle, .draws = 5}),
                 "`order.draws` = 5: is for with_replacement, weighted and own"));
  CHECK(contains(refusal_of_order({.kind = shuffle, .nth = 2}), "`order.nth` = 2: is for every"));
  CHECK(contains(refusal_of_order({.offset = 1}), "`order.offset` = 1: is for every"));
  CHECK(
      contains(refusal_of_order({.kind = every, .block = 8}), "`order.block` = 8: is for blocks"));
  CHECK(contains(refusal_of_order({.together = 8}), "`order.together` = 8: is for blocks"));
  CHECK(contains(refusal({}, UINT64_MAX), "index_bytes() of the source"));
}
