#include "conductor/batch_sizes.hpp"

#include <vector>

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
  CHECK(batch.offsets == std::vector<std::uint64_t>(3, 0));
}
