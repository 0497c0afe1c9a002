// A schedule of sizes over 24 large images: what stays while the size changes.
#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "weir/weir.hpp"

using namespace weir;

namespace {

constexpr std::array<ImageSize, 3> sizes{{{192, 256}, {384, 512}, {768, 1024}}};
constexpr std::uint64_t images = 24, batches_each = 6;

std::set<std::string> threads() {
  std::set<std::string> ids;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task"))
    ids.insert(task.path().filename());
  return ids;
}

/// Files of 12 megapixels, so that a read is no encoding.
AnySource photographs(const test::TemporaryFolder& folder) {
  const auto made = synthetic(images, {3000, 4000});
  for (std::uint64_t i = 0; i < images; ++i) {
    MemorySink sink;
    const auto bytes = made.read(i, sink).bytes;
    folder.write(std::to_string(10 + i) + ".jpg", bytes);
  }
  return image_folder(folder.path());
}

Options by_epoch() {
  Options options;
  options.shape = sizes[2];
  options.batch = images / batches_each;
  options.workers = 2;
  options.order = Order::shuffle();
  options.cache = {.keep = Cache::encoded, .max_bytes = 512u << 20};
  options.memory.max_sample_bytes = ByteBound::measured;
  options.sizes.size = {"three", [](const SizeInput& in) { return sizes[in.epoch % 3]; }};
  return options;
}

}  // namespace

TEST_CASE("one loader gives large images in sizes that change", "[sizes]") {
  const test::TemporaryFolder folder;
  Loader loader(photographs(folder), by_epoch());
  REQUIRE(loader.plan().data_ceiling_bytes);
  constexpr std::uint64_t epochs = 9;
  auto stream = loader.stream({.epochs = epochs});
  std::set<std::string> at_first;
  std::uint64_t batches = 0;
  // The consumer takes no time, so the time between two batches is that of making one.
  std::array<std::vector<double>, 3> first, others;
  auto before = std::chrono::steady_clock::now();
  while (const auto batch = stream.next()) {
    const auto now = std::chrono::steady_clock::now();
    const auto epoch = batches / batches_each, in_epoch = batches % batches_each;
    const std::chrono::duration<double> took = now - before;
    if (epoch > 0) (in_epoch == 0 ? first : others)[epoch % 3].push_back(took.count());
    CHECK(batch->pixels().shape == sizes[epoch % 3]);
    CHECK(batch->bytes_held() == loader.plan().slab_bytes);
    if (batches++ == 0) at_first = threads();
    if (epoch + 1 < epochs) CHECK(threads() == at_first);
    before = std::chrono::steady_clock::now();
  }
  CHECK(batches == epochs * batches_each);
  const auto report = loader.report();
  CHECK(report.memory.peak <= *loader.plan().data_ceiling_bytes);
  CHECK(report.memory.peak <= loader.plan().ceiling_bytes);
  CHECK(report.cache.hits + report.cache.misses == epochs * images);
  // A sample that two epochs draw at once is read twice.
  CHECK(report.cache.misses >= images);
  CHECK(report.cache.misses <= images + 8);
  // A new loader would read and decode for each change; a change costs less than half of a batch.
  const auto median = [](std::vector<double> times) {
    std::ranges::nth_element(times, times.begin() + std::ssize(times) / 2);
    return times[times.size() / 2];
  };
  for (std::size_t size = 0; size < sizes.size(); ++size) {
    CAPTURE(size, first[size], others[size]);
    // Of three changes to this size, in the same second as their neighbours; the fastest is free of others' load.
    CHECK(*std::ranges::min_element(first[size]) < 1.5 * median(others[size]));
  }
}
