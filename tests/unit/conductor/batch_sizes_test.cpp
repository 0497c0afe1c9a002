#include "conductor/batch_sizes.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "conductor/scheduled_supply.hpp"
#include "support/catch.hpp"

using namespace weir;
using conductor::BatchSizes, conductor::BatchSlot;

namespace {

/// The sizes of samples in their order. A size of 0 x 0 is unknown.
BatchSizes ragged(std::vector<ImageSize> sizes, OnFault on_fault) {
  const auto count = sizes.size();
  auto index = std::make_shared<const SizeIndex>(std::move(sizes));
  const source::Sampler sampler(count, Order::sequential(), 1);
  return {source::SizeOrder(sampler, std::move(index), {}, 4, 0),
          std::make_shared<conductor::ScheduledSupply>(
              conductor::Schedule({.samples = count, .batch = 4}, 1), sampler),
          {.mode = Sizes::ragged, .batch = 4, .on_fault = on_fault}};
}

const BatchSlot whole{.sequence = 0, .epoch = 0, .first = 0, .rows = 3, .omitted = 0};

}  // namespace

TEST_CASE("a sample of unknown size has the room of its replacement", "[conductor][sizes]") {
  const std::vector<ImageSize> sizes{{2, 3}, {0, 0}, {4, 5}};
  auto skipping = ragged(sizes, OnFault::skip);
  const auto& places = skipping.of(whole).extents;
  CHECK((places[1] == sizes[0] || places[1] == sizes[2]));
  auto blank = ragged(sizes, OnFault::blank);
  CHECK(blank.of(whole).extents[1] == ImageSize{});
}

TEST_CASE("a sample has no room if no replacement's size is known", "[conductor][sizes]") {
  auto none = ragged({{}, {}, {}}, OnFault::skip);
  const auto& batch = none.of(whole);
  CHECK(batch.extents == std::vector<ImageSize>(3));
}

namespace {

/// As Darknet has it: every ten steps, a multiple of 32 between 416 / 1.4 and 416 times 1.4.
ImageSize darknet(std::uint64_t step) {
  Random random(7, 0, step / 10);
  const auto side = 32 * static_cast<std::uint32_t>(416 * random.uniform(1 / 1.4, 1.4) / 32 + 0.5);
  return {side, side};
}

/// The sizes of the batches of a rank.
std::vector<ImageSize> sizes_of(const conductor::Schedule& schedule,
                                std::uint64_t steps_per_epoch) {
  const source::Sampler sampler(1, Order::sequential(), 1);
  const source::SizeRule rule(
      {.name = "darknet",
       .of = [=](const SizeInput& in) { return darknet(in.epoch * steps_per_epoch + in.step); }},
      {608, 608}, "shape");
  BatchSizes batches(source::SizeOrder(sampler, nullptr, {}, 1, 0),
                     std::make_shared<conductor::ScheduledSupply>(schedule, sampler),
                     {.mode = Sizes::fixed, .batch = 4, .size = rule});
  std::vector<ImageSize> sizes;
  for (std::uint64_t sequence = 0; sequence < schedule.end(); ++sequence) {
    const auto& batch = batches.of(schedule.at(sequence));
    REQUIRE(!batches.failed().error);
    sizes.push_back(batch.layout.shape);
  }
  return sizes;
}

}  // namespace

TEST_CASE("ranks have the same sizes at 10000 steps and after a resume", "[conductor][sizes]") {
  // Two epochs of 5000 steps and one that is short: it has one sample, and two ranks have none.
  constexpr std::uint64_t steps = 5001;
  const auto batching = [](std::uint32_t rank, std::uint32_t world) {
    return conductor::Batching{
        .samples = 12 * 5000 + 1, .batch = 12 / world, .rank = {rank, world}};
  };
  const conductor::Schedule first(batching(0, 3), 2);
  const auto whole = sizes_of(first, steps);
  REQUIRE(whole.size() == 2 * steps);
  std::uint64_t changes = 0;
  for (std::uint64_t step = 0; step < whole.size(); ++step) {
    REQUIRE(whole[step] == darknet(step));
    if (step > 0 && whole[step] != whole[step - 1]) ++changes;
  }
  CHECK(changes > 800);
  for (std::uint32_t rank = 1; rank < 3; ++rank)
    CHECK(sizes_of(conductor::Schedule(batching(rank, 3), 2), steps) == whole);
  for (const std::uint64_t finished : {1u, 7u, 5000u, 5001u, 8888u, 10001u}) {
    Progress progress;
    progress.epochs = first.progress({{0, finished}}, true);
    // Another number of ranks with the same global batch has the same steps.
    for (const std::uint32_t world : {3u, 1u, 4u})
      for (std::uint32_t rank = 0; rank < world; ++rank) {
        const conductor::Schedule resumed(batching(rank, world), 2, progress);
        CHECK(std::ranges::equal(sizes_of(resumed, steps), std::span(whole).subspan(finished)));
      }
  }
}

TEST_CASE("another global batch resumes at the step of its position", "[conductor][sizes]") {
  const conductor::Schedule first({.samples = 1000, .batch = 10}, 1);
  Progress progress;
  progress.epochs = first.progress({{0, 30}}, true);
  const conductor::Schedule resumed({.samples = 1000, .batch = 25}, 2, progress);
  CHECK(resumed.at(0).step == 12);
  CHECK(resumed.at(27).step == 39);
  CHECK(resumed.at(28).epoch == 1);
  CHECK(resumed.at(28).step == 0);
}
