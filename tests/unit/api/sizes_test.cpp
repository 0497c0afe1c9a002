#include <set>

#include "contract/laws/fixture.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "weir/source.hpp"

using namespace weir;
using namespace weir::test;

namespace {

/// A source of any number of samples, without data.
class Endless {
 public:
  explicit Endless(std::uint64_t size) : size_(size), images_(synthetic(8, {20, 20}, 1)) {}
  std::uint64_t size() const { return size_; }
  Encoded read(std::uint64_t i, ByteSink& sink) const { return images_.read(i % 8, sink); }
  std::string name(std::uint64_t i) const { return std::to_string(i); }
  std::uint64_t index_bytes() const { return 0; }
  std::string fingerprint() const { return "endless"; }

 private:
  std::uint64_t size_;
  AnySource images_;
};

Log first_batches(Loader& loader, std::uint64_t from, int count) {
  Log log;
  auto stream = loader.stream({.resume = loader.progress_after(from), .epochs = 2});
  for (int i = 0; i < count; ++i) {
    const auto batch = stream.next();
    if (!batch) break;
    log.add(*batch);
  }
  return log;
}

}  // namespace

TEST_CASE("the values and the bytes of an image do not wrap", "[api][sizes]") {
  constexpr auto most = UINT32_MAX;
  CHECK(image_values({most, most}, PixelFormat::rgb8) == UINT64_MAX);
  CHECK(image_bytes({most, most}, PixelFormat::rgb8) == UINT64_MAX);
  CHECK(image_bytes({most, most}, PixelFormat::grey8) == std::uint64_t{most} * most);
  CHECK(image_bytes({1u << 31, 3}, PixelFormat::rgb8) == 9ull << 31);
}

TEST_CASE("a batch has the pixel format that the options ask for", "[api]") {
  const TemporaryFolder folder;  // an image of MNIST, with its label
  const std::string_view head("\0\0\x8\3\0\0\0\1\0\0\0\2\0\0\0\2\1\2\3\4", 20),
      label("\0\0\x8\1\0\0\0\1\7", 9);
  const auto mnist = mnist_idx(folder.write("images", head), folder.write("labels", label));
  const auto pixels_of = [&](PixelFormat format) {
    auto options = small_options();
    options.shape = {2, 2};
    options.fit = Fit::stretch;
    options.batch = 1;
    options.pixels = format;
    Loader loader(mnist, options);
    auto stream = loader.stream();
    const auto batch = stream.next();
    REQUIRE(batch);
    const auto block = batch->pixels();
    CHECK(block.format == format);
    CHECK(loader.plan().pixels == format);
    CHECK(loader.plan().row_bytes == 4 * pixel_bytes(format));
    return std::vector<std::uint8_t>(block.pixels.begin(), block.pixels.end());
  };
  using Values = std::vector<std::uint8_t>;
  CHECK(pixels_of(PixelFormat::grey8) == Values{1, 2, 3, 4});
  CHECK(pixels_of(PixelFormat::stored8) == Values{1, 2, 3, 4});
  CHECK(pixels_of(PixelFormat::bgr8) == Values{1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4});
  CHECK(pixels_of(PixelFormat::rgba8) ==
        Values{1, 1, 1, 255, 2, 2, 2, 255, 3, 3, 3, 255, 4, 4, 4, 255});
}

TEST_CASE("a loader counts more than two billion samples in 64 bits", "[api][D10]") {
  const auto size = GENERATE((1ull << 31) + 7, (1ull << 32) + 3, 1ull << 40);
  auto options = small_options();
  options.drop_last = GENERATE(false, true);
  CAPTURE(size, options.drop_last);
  Loader loader(Endless(size), options);
  const auto whole = size / 4, rest = size % 4;
  const auto batches = whole + (rest > 0 && !options.drop_last ? 1 : 0);
  CHECK(loader.batches_per_epoch() == batches);

  const auto first = first_batches(loader, 0, 250);
  REQUIRE(first.indices.size() == 1000);
  for (std::uint64_t i = 0; i < 1000; ++i) REQUIRE(first.indices[i] == i);

  // The last thousand samples of one epoch and the first of the next.
  const auto seam = first_batches(loader, batches - 250, 251);
  REQUIRE(seam.sequences.front() == 0);
  const auto begin = (batches - 250) * 4;
  const auto left = (options.drop_last ? whole * 4 : size) - begin;
  REQUIRE(seam.indices.size() == left + 4);
  for (std::uint64_t i = 0; i < left; ++i) REQUIRE(seam.indices[i] == begin + i);
  for (std::uint64_t i = 0; i < 4; ++i) CHECK(seam.indices[left + i] == i);
  CHECK(loader.snapshot().samples.conserved());
}

TEST_CASE("shuffled, they come once each and take no memory", "[api][D10]") {
  const auto size = GENERATE((1ull << 31) + 7, 1ull << 40);
  auto options = small_options();
  options.order = Order::shuffle();
  Loader loader(Endless(size), options);
  CHECK(loader.plan().index_bytes - loader.plan().record_bytes < 4096);
  const unsigned long long batches = (size + 3) / 4;
  std::set<std::uint64_t> seen;
  for (const auto from : {0ull, batches - 250}) {
    for (const auto index : first_batches(loader, from, 250).indices) {
      REQUIRE(index < size);
      REQUIRE(seen.insert(index).second);
    }
  }
  CHECK(seen.size() > 1990);
}

TEST_CASE("a batch larger than the set is short or refused (drop_last)", "[api][D10]") {
  for (const std::uint64_t size : {1u, 2u, 7u, 8u, 9u}) {
    for (const bool drop_last : {false, true}) {
      auto options = small_options();
      options.batch = 8;
      options.drop_last = drop_last;
      CAPTURE(size, drop_last);
      if (drop_last && size < 8) {
        CHECK_THROWS_WITH(Loader(Endless(size), options), has_text("has no batch"));
        continue;
      }
      Loader loader(Endless(size), options);
      const auto log = drain(loader, {.epochs = 3});
      const std::uint64_t whole = size / 8 * 8;
      CHECK(log.indices.size() == 3 * (drop_last ? whole : size));
      CHECK(loader.snapshot().samples.omitted == (drop_last ? 3 * (size - whole) : 0));
    }
  }
}
