#include <memory>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "buffer/slab.hpp"
#include "conductor/batch_sizes.hpp"
#include "conductor/scheduled_supply.hpp"
#include "plan/loader_bytes.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"
#include "support/units.hpp"
#include "weir/plan.hpp"

using namespace weir;
using weir::test::has_text;

namespace {

using weir::test::mib;

Options sized(Sizes mode, std::vector<ImageSize> sizes) {
  Options options;
  options.batch = 2;
  options.sizes.mode = mode;
  options.sizes.index = std::make_shared<const SizeIndex>(std::move(sizes));
  return options;
}

const std::vector<ImageSize> five{{10, 20}, {30, 4}, {5, 5}, {0, 0}, {8, 40}};

}  // namespace

TEST_CASE("a plan provides for the largest batch that an order can give", "[plan][sizes]") {
  using buffer::SlabLayout;
  const auto padded = resolve(sized(Sizes::padded, five), 1000);
  CHECK(padded.sizes.largest == ImageSize{30, 40});
  CHECK(padded.shape == ImageSize{30, 40});
  CHECK(padded.sizes.unknown == 1);
  CHECK(padded.slab_bytes == SlabLayout::padded({}, {30, 40}, 2, 64).bytes);
  // The sizes, and the rows of one batch of two.
  CHECK(padded.index_bytes == 1000 + 5 * 8 + 2 * 16 + padded.record_bytes);
  CHECK(padded.floor_bytes == padded.index_bytes + 2 * padded.slab_bytes + 8 * mib);
  const auto ragged = resolve(sized(Sizes::ragged, five), 0);
  CHECK(ragged.slab_bytes == SlabLayout::ragged({}, {{3 * (320 + 200)}}, 2, 64).bytes);
  CHECK(ragged.sizes.most_pixel_bytes == 3 * 520);
  CHECK(ragged.depth_cost(2)[1].float32_bytes == 3 * (ragged.slab_bytes + 3 * 3 * 520));
  CHECK(ragged.sizes.padding == 0);
}

TEST_CASE("a plan counts replacements of images of unknown size", "[plan][sizes]") {
  using buffer::SlabLayout;
  // A sample of unknown size may be replaced by the largest.
  auto options = sized(Sizes::ragged, {{100, 100}, {0, 0}, {0, 0}, {10, 10}});
  options.batch = 4;
  const auto most = [&](OnFault policy) {
    options.faults.policy = policy;
    const auto plan = resolve(options, 0);
    CHECK(plan.sizes.typical_slab_bytes <= plan.slab_bytes);
    return plan.slab_bytes;
  };
  const auto with = [](std::uint64_t pixels) {
    return SlabLayout::ragged({}, {{3 * pixels}}, 4, 64).bytes;
  };
  CHECK(most(OnFault::skip) == with(3 * 10'000 + 100));
  CHECK(most(OnFault::blank) == with(10'000 + 100));
  CHECK(most(OnFault::stop) == with(10'000 + 100));
  options.sizes.index = std::make_shared<const SizeIndex>(std::vector<ImageSize>{});
  CHECK(most(OnFault::skip) == SlabLayout::ragged({}, {{0}}, 0, 64).bytes);
}

TEST_CASE("a batch can repeat the largest image if samples repeat", "[plan][sizes][order]") {
  RandomStream random(5);
  for (int round = 0; round < 300; ++round) {
    std::vector<ImageSize> sizes(1 + random.below(12));
    std::vector<double> weights(sizes.size(), 1.0);
    for (auto& [height, width] : sizes) {
      if (random.below(8) == 0) continue;  // unknown
      height = static_cast<std::uint32_t>(1 + random.below(50));
      width = static_cast<std::uint32_t>(1 + random.below(50));
    }
    weights[random.below(weights.size())] = 1000;
    const auto mode = random.below(2) == 0 ? Sizes::padded : Sizes::ragged;
    auto options = sized(mode, sizes);
    options.batch = static_cast<std::uint32_t>(1 + random.below(6));
    options.seed = random.next();
    options.faults.policy = static_cast<OnFault>(random.below(3));
    const auto draws = 1 + random.below(40);
    const auto count = sizes.size();
    const Order orders[] = {
        Order::with_replacement(draws), Order::weighted(weights, draws),
        Order::every(1 + random.below(3)),
        Order::own("one", draws, [count](auto epoch, auto, auto&) { return epoch % count; })};
    options.order = orders[random.below(4)];
    if (mode == Sizes::padded)
      options.sizes.bucket_batches = static_cast<std::uint32_t>(random.below(3));
    const auto plan = resolve(options, 0);
    CAPTURE(round, to_string(options.order), options.batch);
    const source::Sampler sampler(count, options.order, options.seed);
    const conductor::Schedule schedule({sampler.positions(), options.batch}, count);
    conductor::BatchSizes batches(
        source::SizeOrder(sampler, options.sizes.index, {}, options.batch,
                          options.sizes.bucket_batches),
        std::make_shared<conductor::ScheduledSupply>(schedule, sampler),
        {mode, options.batch, options.memory.alignment, {}, options.faults.policy});
    for (std::uint64_t sequence = 0; sequence < schedule.end(); ++sequence)
      REQUIRE(batches.of(schedule.at(sequence)).layout.bytes <= plan.slab_bytes);
  }
  auto options = sized(Sizes::ragged, five);
  options.order = Order::with_replacement(1ull << 60);  // the plan draws a part of it
  CHECK(resolve(options, 0).slab_bytes ==
        buffer::SlabLayout::ragged({}, {{2 * 3 * 320}}, 2, 64).bytes);
  options = sized(Sizes::padded, five);
  options.order = Order::with_replacement(1ull << 60);
  options.sizes.bucket_batches = UINT32_MAX;
  CHECK(resolve(options, 0).index_bytes < 10'000 + resolve(options, 0).record_bytes);
}

TEST_CASE("a plan tells the first epoch's batches and their padding", "[plan][sizes]") {
  // In order: {10x20, 30x4}, {5x5, unknown}, {8x40}.
  const auto plan = resolve(sized(Sizes::padded, five), 0).sizes;
  const auto bytes = [](ImageSize block, std::uint32_t rows) {
    return buffer::SlabLayout::padded({}, block, rows, 64).bytes;
  };
  CHECK(plan.least_slab_bytes == bytes({5, 5}, 2));
  CHECK(plan.typical_slab_bytes == (bytes({30, 20}, 2) + bytes({5, 5}, 2) + bytes({8, 40}, 1)) / 3);
  const double images = 200 + 120 + 25 + 320, blocks = 1200 + 50 + 320;
  CHECK(plan.padding == 1 - images / blocks);
  CHECK(plan.padding_without_buckets == plan.padding);

  // Two portraits and two landscapes in turns. Buckets group them.
  auto options = sized(Sizes::padded, {{10, 30}, {30, 10}, {10, 30}, {30, 10}});
  options.sizes.bucket_batches = 2;
  const auto bucketed = resolve(options, 0);
  CHECK(bucketed.sizes.padding == 0);
  CHECK(bucketed.sizes.padding_without_buckets == 1 - 1.0 / 3);
  CHECK(bucketed.index_bytes == 4 * 8 + 4 * 24 + 2 * 16 + bucketed.record_bytes);
}

TEST_CASE("a batch of an order that draws nothing has no pixels", "[plan][sizes][order]") {
  auto options = sized(Sizes::ragged, {});
  options.order = Order::every(2, 6);
  CHECK(resolve(options, 0).sizes.most_pixel_bytes == 0);
}

TEST_CASE("a bound makes the largest batch smaller", "[plan][sizes]") {
  auto options = sized(Sizes::padded, five);
  options.sizes.max_height = 15;
  const auto plan = resolve(options, 0);
  CHECK(plan.sizes.largest == ImageSize{15, 40});
  CHECK(plan.sizes.bound == ImageSize{15, 0});
}

TEST_CASE("a queue of different sizes is bounded by bytes, not depth", "[plan][sizes]") {
  auto options = sized(Sizes::ragged, std::vector<ImageSize>(100, {1000, 1000}));
  options.queue = {.max_queue_size = 50, .max_leases = 1, .max_bytes = 20 * mib};
  options.workers = 2;
  options.memory.budget_bytes = 64 * mib;
  const auto plan = resolve(options, 0);
  CHECK(plan.max_queue_size == 50);
  CHECK(plan.max_queue_bytes == 20 * mib);
  // Everything except index, reserve, one arena for each worker, and the records of more slabs.
  const auto records = (51 - 16) * plan::slab_record_bytes(2, true);
  const auto left = 64 * mib - plan.index_bytes - plan.max_sample_bytes - 2 * mib;
  CHECK(plan.sizes.max_staging_bytes.value() < left);
  CHECK(plan.sizes.max_staging_bytes.value() >= left - records);
  CHECK(plan.ceiling_bytes <= 64 * mib);
  options.memory.budget_bytes = plan.floor_bytes - 1;
  CHECK_THROWS_WITH(resolve(options, 0), has_text("this needs at least "));
  options.memory.budget_bytes.reset();
  CHECK_FALSE(resolve(options, 0).sizes.max_staging_bytes);
}

TEST_CASE("a byte bound of the queue counts slabs if images are equal", "[plan][sizes]") {
  Options options;
  options.queue.max_queue_size = 8;
  const auto slab = resolve(options, 0).slab_bytes;
  options.queue.max_bytes = 3 * slab + slab / 2;
  CHECK(resolve(options, 0).max_queue_size == 3);
  CHECK(resolve(options, 0).slabs == 4);
  options.queue.max_bytes = 1;
  CHECK(resolve(options, 0).max_queue_size == 1);
}

TEST_CASE("options that do not suit images of own sizes are refused", "[plan][sizes]") {
  const auto refuses = [](auto change, const char* what) {
    auto options = sized(Sizes::padded, five);
    change(options);
    CHECK_THROWS_WITH(resolve(options, 0), has_text(what));
  };
  refuses([](Options& o) { o.sizes.index = nullptr; }, "`sizes.index`: null");
  refuses([](Options& o) { o.tuning.mode = Tuning::automatic; }, "`tuning.mode` = automatic");
  refuses([](Options& o) { o.transform.apply = [](DecodedSample&) {}; },
          "`transform.input` = decoded");
  refuses([](Options& o) { o.sizes.mode = Sizes::ragged, o.sizes.bucket_batches = 3; },
          "`sizes.bucket_batches` = 3");
  refuses([](Options& o) { o.sizes.mode = Sizes::fixed, o.sizes.bucket_batches = 3; },
          "`sizes.bucket_batches` = 3");
  refuses([](Options& o) { o.sizes.mode = Sizes::fixed, o.sizes.max_width = 9; },
          "`sizes.max_width` = 9: is for `sizes.mode` = padded");
  refuses([](Options& o) { o.sizes.max_height = 65'501; }, "`sizes.max_height` = 65501");
  auto fitted = sized(Sizes::padded, five);
  fitted.transform = {.apply = [](DecodedSample&) {}, .input = TransformInput::fitted};
  CHECK_NOTHROW(resolve(fitted, 0));
  CHECK_NOTHROW(resolve(sized(Sizes::padded, {}), 0));
  CHECK_NOTHROW(resolve(sized(Sizes::ragged, {{0, 0}}), 0));
}

TEST_CASE("sizes of images and of encoded samples are told apart", "[plan][sizes]") {
  auto encoded = sized(Sizes::ragged, {{1, 900}, {0, 0}, {1, 70'000}});
  CHECK_THROWS_WITH(resolve(encoded, 0), has_text("`sizes.index` is of encoded samples"));
  encoded.decode = Decode::none;
  CHECK_NOTHROW(resolve(encoded, 0));
  auto images = sized(Sizes::ragged, {{1, 70}, {0, 0}, {2, 30}});
  CHECK_NOTHROW(resolve(images, 0));
  images.decode = Decode::none;
  CHECK_THROWS_WITH(resolve(images, 0), has_text("`sizes.index` is of images; measure it with "
                                                 "`decode` = none"));
}

TEST_CASE("sizes of another number of samples are refused", "[plan][sizes]") {
  auto options = sized(Sizes::ragged, five);
  options.order = Order::weighted(std::vector<double>(9, 1));
  CHECK_THROWS_WITH(resolve(options, 0, 0, 9),
                    has_text("`sizes.index`: of 5 samples, the source has 9"));
  CHECK_THROWS_WITH(resolve(options, 0), has_text("the source has 5 samples"));
  // Nothing is measured yet, so no sample is drawn.
  options.sizes.index = std::make_shared<const SizeIndex>(std::vector<ImageSize>{});
  CHECK_NOTHROW(resolve(options, 0));
}
