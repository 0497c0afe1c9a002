// A schedule of sizes over large images: what stays while the size changes.
#include <array>
#include <filesystem>

#include "support/catch.hpp"
#include "weir/weir.hpp"

using namespace weir;

namespace {

std::ptrdiff_t threads() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

}  // namespace

TEST_CASE("sizes of 24 large images change in one loader", "[sizes]") {
  constexpr std::array<ImageSize, 3> sizes{{{192, 256}, {384, 512}, {768, 1024}}};
  const auto source = synthetic(24, {3000, 4000});
  Options options;
  options.shape = sizes[2];
  options.batch = 4;
  options.workers = 2;
  options.order = Order::shuffle();
  options.cache = {.keep = Cache::encoded, .max_bytes = 512u << 20};
  options.memory.max_sample_bytes = ByteBound::measured;
  options.sizes.size = {"three", [=](const SizeInput& in) { return sizes[in.epoch]; }};
  Loader loader(source, options);
  REQUIRE(loader.plan().data_ceiling_bytes);
  auto stream = loader.stream({.epochs = 3});
  std::ptrdiff_t at_first = 0;
  std::uint64_t batches = 0;
  while (const auto batch = stream.next()) {
    CHECK(batch->pixels().shape == sizes[batches / 6]);
    CHECK(batch->bytes_held() == loader.plan().slab_bytes);
    if (batches++ == 0) at_first = threads();
    CHECK(threads() <= at_first);
  }
  CHECK(batches == 18);
  const auto report = loader.report();
  CHECK(report.memory.peak <= *loader.plan().data_ceiling_bytes);
  CHECK(report.cache.hits + report.cache.misses == 72);
  // A sample that two epochs draw at once is read twice.
  CHECK(report.cache.misses <= 24 + 2 * 4);
}
