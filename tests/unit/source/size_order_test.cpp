#include "source/size_order.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

#include "base/random.hpp"
#include "support/catch.hpp"

using namespace weir;
using source::Position, source::Sampler, source::SizeOrder;

namespace {

std::shared_ptr<const SizeIndex> drawn_sizes(std::uint64_t count, std::uint64_t key) {
  RandomStream random(key);
  const auto side = [&] { return 20 + static_cast<std::uint32_t>(random.below(480)); };
  std::vector<ImageSize> sizes(static_cast<std::size_t>(count));
  for (auto& size : sizes)
    if (random.below(20) > 0) size = {side(), side()};  // otherwise its size is unknown
  return std::make_shared<const SizeIndex>(std::move(sizes));
}

struct World {
  std::uint64_t samples = 0;
  std::uint32_t batch = 1, bucket_batches = 0;
  Order kind{};
  std::uint64_t seed = 0;
  std::shared_ptr<const SizeIndex> sizes = nullptr;

  SizeOrder order() const {
    return {Sampler(samples, kind, seed), sizes, {}, batch, bucket_batches};
  }
};

/// Every batch of an epoch, requested in the order of `from`.
std::vector<std::vector<std::uint64_t>> epoch_of(const World& world, std::uint64_t epoch,
                                                 bool backwards = false) {
  auto order = world.order();
  const auto count = (world.samples + world.batch - 1) / world.batch;
  std::vector<std::vector<std::uint64_t>> batches(static_cast<std::size_t>(count));
  for (std::uint64_t n = 0; n < count; ++n) {
    const auto i = backwards ? count - 1 - n : n;
    auto& rows = batches[static_cast<std::size_t>(i)];
    const auto first = i * world.batch;
    rows.resize(
        static_cast<std::size_t>(std::min<std::uint64_t>(world.batch, world.samples - first)));
    for (std::size_t row = 0; row < rows.size(); ++row)
      rows[row] = order.index(epoch, Position(first + row), world.batch);
  }
  return batches;
}

double padding(const World& world, const std::vector<std::vector<std::uint64_t>>& batches) {
  std::uint64_t images = 0, blocks = 0;
  for (const auto& rows : batches) {
    ImageSize block;
    for (const auto index : rows) {
      const auto size = (*world.sizes)[index];
      images += image_bytes(size, PixelFormat::rgb8);
      block = {std::max(block.height, size.height), std::max(block.width, size.width)};
    }
    blocks += rows.size() * image_bytes(block, PixelFormat::rgb8);
  }
  return 1 - static_cast<double>(images) / static_cast<double>(blocks);
}

}  // namespace

TEST_CASE("buckets give every sample once per epoch in a fixed order", "[sizes]") {
  RandomStream random(7);
  for (int round = 0; round < 60; ++round) {
    World world;
    world.samples = random.below(200);
    world.batch = 1 + static_cast<std::uint32_t>(random.below(12));
    world.bucket_batches = static_cast<std::uint32_t>(random.below(9));
    world.kind = random.below(2) == 0 ? Order::shuffle() : Order::sequential();
    world.seed = random.next();
    world.sizes = drawn_sizes(world.samples, world.seed);
    CAPTURE(world.samples, world.batch, world.bucket_batches);
    for (std::uint64_t epoch = 0; epoch < 2; ++epoch) {
      const auto batches = epoch_of(world, epoch);
      std::set<std::uint64_t> seen;
      for (const auto& rows : batches) seen.insert(rows.begin(), rows.end());
      REQUIRE(seen.size() == world.samples);
      REQUIRE((seen.empty() || *seen.rbegin() == world.samples - 1));
      REQUIRE(epoch_of(world, epoch, true) == batches);
    }
    auto plain = world;
    plain.bucket_batches = 0;
    const Sampler sampler(world.samples, world.kind, world.seed);
    std::uint64_t position = 0;
    for (const auto& rows : epoch_of(plain, 1))
      for (const auto index : rows) REQUIRE(index == sampler.index(1, Position(position++)));
  }
}

TEST_CASE("samples stay in their window, the incomplete batch its place", "[sizes]") {
  World world{.samples = 107, .batch = 5, .bucket_batches = 4, .kind = Order::shuffle(), .seed = 3};
  world.sizes = drawn_sizes(world.samples, 3);
  const Sampler sampler(world.samples, Order::shuffle(), 3);
  const auto batches = epoch_of(world, 2);
  for (std::uint64_t first = 0; first < 107; first += 20) {
    std::multiset<std::uint64_t> drawn, given;
    for (auto p = first; p < std::min<std::uint64_t>(first + 20, 105); ++p) {
      drawn.insert(sampler.index(2, Position(p)));
      given.insert(batches[static_cast<std::size_t>(p / 5)][static_cast<std::size_t>(p % 5)]);
    }
    CHECK(given == drawn);
  }
  CHECK(batches.back() ==
        std::vector{sampler.index(2, Position(105)), sampler.index(2, Position(106))});
}

TEST_CASE("wider bucket windows shrink the padding further", "[sizes]") {
  World world{.samples = 4096, .batch = 32, .kind = Order::shuffle(), .seed = 11};
  world.sizes = drawn_sizes(world.samples, 11);
  const auto plain = padding(world, epoch_of(world, 0));
  world.bucket_batches = 8;
  const auto some = padding(world, epoch_of(world, 0));
  world.bucket_batches = 128;
  const auto all = padding(world, epoch_of(world, 0));
  CHECK(plain > 0.6);
  CHECK(some < 0.8 * plain);
  CHECK(all < 0.5 * plain);
}

TEST_CASE("shuffled, the batches of a window do not come smallest first", "[sizes]") {
  World world{
      .samples = 1024, .batch = 8, .bucket_batches = 128, .kind = Order::shuffle(), .seed = 1};
  world.sizes = drawn_sizes(world.samples, 5);
  const auto batches = epoch_of(world, 0);
  CHECK(epoch_of(world, 1) != batches);
  std::vector<std::uint64_t> heights;
  for (const auto& rows : batches) heights.push_back((*world.sizes)[rows.front()].height);
  double together = 0;  // the rank correlation of position and height is about 0
  for (std::size_t i = 0; i < heights.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      together += heights[i] > heights[j] ? 1 : heights[i] < heights[j] ? -1 : 0;
  const auto pairs = static_cast<double>(heights.size() * (heights.size() - 1) / 2);
  CHECK(std::abs(together / pairs) < 0.25);
}

TEST_CASE("a bound scales down and keeps the aspect, to the pixel", "[sizes]") {
  CHECK(scaled_within({300, 400}, {}) == ImageSize{300, 400});
  CHECK(scaled_within({300, 400}, {300, 400}) == ImageSize{300, 400});
  CHECK(scaled_within({300, 400}, {0, 200}) == ImageSize{150, 200});
  CHECK(scaled_within({300, 400}, {100, 0}) == ImageSize{100, 133});
  CHECK(scaled_within({301, 400}, {100, 100}) == ImageSize{75, 100});
  CHECK(scaled_within({400, 300}, {100, 100}) == ImageSize{100, 75});
  CHECK(scaled_within({1, 65'500}, {100, 100}) == ImageSize{1, 100});
  CHECK(scaled_within({65'500, 65'500}, {1, 1}) == ImageSize{1, 1});
  CHECK(scaled_within({0, 0}, {10, 10}) == ImageSize{});
}

TEST_CASE("a window's memory suffices for every smaller batch", "[sizes]") {
  for (const std::uint32_t batches : {1u, 3u, 100u})
    for (std::uint64_t batch = 1; batch < 45; ++batch) {
      // Windows are whole batches: batches of 4 have 8 of 10 positions, batches of 3 have 9.
      const auto bytes = [&](std::uint64_t most_batch) {
        return SizeOrder::memory_bytes(40, 30, most_batch, batches);
      };
      const auto window =
          std::min({40 / batch, std::max<std::uint64_t>(1, 30 / batch), std::uint64_t{batches}}) *
          batch;
      CHECK(bytes(batch) >= window * 24);
      CHECK(bytes(batch + 1) >= bytes(batch));
      CHECK(bytes(batch) <= 40 * 24);
    }
  CHECK(SizeOrder::memory_bytes(40, 30, UINT64_MAX, UINT32_MAX) == 40 * 24);
}
