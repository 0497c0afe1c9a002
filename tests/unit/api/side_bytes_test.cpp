#include <cstring>

#include "contract/laws/fixture.hpp"
#include "contract/stopping/gate.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"
#include "unit/codec/encoders.hpp"

using namespace weir;
using namespace weir::test;

namespace {

using codec::test::encode_png;
using codec::test::pattern;
using codec::test::Raster;

/// An image followed by `side` bytes with its index, in one block.
class Boxed {
 public:
  explicit Boxed(std::size_t side) : side_(side) {}
  std::uint64_t size() const { return 20; }
  Encoded read(std::uint64_t i, ByteSink& sink) const {
    const auto bytes = sink.take(image_.size() + side_);
    std::memcpy(bytes.data(), image_.data(), image_.size());
    const auto side = bytes.subspan(image_.size());
    std::ranges::fill(side, static_cast<std::byte>(i + 1));
    return {.bytes = bytes.first(image_.size()), .label = 1, .annotation = side};
  }
  std::string name(std::uint64_t i) const { return std::to_string(i); }
  std::uint64_t index_bytes() const { return 0; }

 private:
  std::size_t side_;
  std::vector<std::byte> image_ = encode_png(20, 20, pattern(20, 20).values, {});
};

/// `count` PNGs of 12x10 times `scale`, each with its own colour in the corner.
class Scaled {
 public:
  Scaled(std::uint64_t count, std::uint32_t scale, std::uint64_t grows_at = UINT64_MAX)
      : count_(count), scale_(scale), grows_at_(grows_at) {}
  std::uint64_t size() const { return count_; }
  Encoded read(std::uint64_t i, ByteSink& sink) const {
    auto image = Raster{12 * scale_, 10 * scale_, 3, {}};
    image.values.resize(std::size_t{image.width} * image.height * 3);
    for (std::uint32_t y = 0; y < image.height; ++y)
      for (std::uint32_t x = 0; x < image.width; ++x) {
        auto* const pixel = image.values.data() + (std::size_t{y} * image.width + x) * 3;
        pixel[0] = static_cast<std::uint8_t>(y / scale_);
        pixel[1] = static_cast<std::uint8_t>(x / scale_);
        pixel[2] = static_cast<std::uint8_t>(i);
      }
    auto encoded = encode_png(image.width, image.height, image.values, {});
    if (i == grows_at_) encoded.resize(encoded.size() + 130'000);  // after IEND, so ignored
    const auto bytes = sink.take(encoded.size());
    std::memcpy(bytes.data(), encoded.data(), encoded.size());
    return {bytes, static_cast<std::int64_t>(i)};
  }
  std::string name(std::uint64_t i) const {
    return std::to_string(scale_) + "/" + std::to_string(i);
  }
  std::uint64_t index_bytes() const { return 0; }

 private:
  std::uint64_t count_;
  std::uint32_t scale_;
  std::uint64_t grows_at_;
};

Options pair_options() {
  auto options = small_options();
  options.shape = {4, 6};
  options.side_bytes = image_bytes({8, 12}, PixelFormat::rgb8);
  options.transform = pair_crop({4, 6}, {8, 12});
  options.order = Order::shuffle();
  return options;
}

}  // namespace

TEST_CASE("a source fills the side bytes and a batch gives them by row", "[side]") {
  auto options = small_options();
  options.side_bytes = 37;
  options.batch = 8;  // the last batch is short
  const bool ahead = GENERATE(false, true);
  options.io.read_ahead = ahead ? 5 : 0;
  Loader loader(Boxed(37), options);
  auto stream = loader.stream({.epochs = 2});
  for (auto& batch : stream) {
    REQUIRE(batch.side().size() == batch.size() * 37u);
    CHECK(reinterpret_cast<std::uintptr_t>(batch.side().data()) % options.memory.alignment == 0);
    for (std::uint32_t row = 0; row < batch.size(); ++row) {
      const auto side = batch.side(row);
      REQUIRE(side.size() == 37);
      for (const auto byte : side) REQUIRE(byte == std::byte(batch.indices()[row] + 1));
    }
    CHECK_THROWS_WITH(batch.side(batch.size()), has_text("Batch::side(i = "));
    CHECK_THROWS_WITH(batch.side_pixels({2, 6}), has_text("that is 36 bytes, side_bytes is 37"));
    CHECK(batch.bytes_held() == slab_bytes(options.shape, 8, 64, 37));
  }
}

TEST_CASE("side bytes that nobody fills are zero in any slab", "[side]") {
  auto options = small_options();
  options.side_bytes = 10;
  class Filthy final : public std::pmr::memory_resource {
    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
      return std::memset(std::pmr::new_delete_resource()->allocate(bytes, alignment), 0xa5, bytes);
    }
    void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
      std::pmr::new_delete_resource()->deallocate(p, bytes, alignment);
    }
    bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
      return this == &other;
    }
  };
  options.memory.upstream = std::make_shared<Filthy>();
  options.faults.policy = OnFault::blank;
  Loader loader(Flawed(20, 5), options);
  const auto log = drain(loader);
  REQUIRE(log.side.size() == 200);
  CHECK(std::ranges::count(log.side, std::byte{0}) == 200);
}

TEST_CASE("a wrong number of side bytes is a fault naming both numbers", "[side]") {
  auto options = small_options();
  options.side_bytes = 36;
  options.faults.policy = OnFault::blank;
  Loader loader(Boxed(37), options);
  CHECK(std::ranges::count(drain(loader).statuses, RowStatus::blank) == 20);
  const auto fault = loader.report().faults.at(0);
  CHECK(fault.kind == FaultKind::corrupt);
  CHECK(fault.stage == Stage::read);
  CHECK(fault.reason == "the source gave 37 side bytes, side_bytes is 36");
}

TEST_CASE("a pair's crops and flips agree with any number of workers", "[side][paired]") {
  auto options = pair_options();
  const auto run = [](const Options& o) {
    // One second image is longer: the memory kept for a pair must grow, and the pair is read again.
    Loader loader(with_plane(Scaled(20, 1), "second", Scaled(20, 2, 13)), o);
    Log log;
    auto stream = loader.stream({.epochs = 2});
    for (auto& batch : stream) {
      const auto second = batch.side_pixels({8, 12});
      CHECK(second.count == batch.size());
      for (std::uint32_t row = 0; row < batch.size(); ++row) {
        const auto image = batch.image(row);
        const auto* const other = second.pixels.data() + row * second.values();
        for (std::uint32_t y = 0; y < 8; ++y)
          for (std::uint32_t x = 0; x < 12; ++x)
            REQUIRE(std::memcmp(other + (y * 12 + x) * 3,
                                image.data + (y / 2) * image.row_stride + x / 2 * 3, 3) == 0);
        CHECK(image.data[2] == batch.indices()[row]);
      }
      log.add(batch);
    }
    CHECK(loader.report().fault_count == 0);
    return log;
  };
  const auto reference = run(options);
  CHECK(reference.indices.size() == 40);
  options.workers = 1;
  options.io.read_ahead = 6;
  options.queue.max_queue_size = 1;
  CHECK(run(options) == reference);
  options.memory.max_sample_bytes = 250'000;
  const auto index = with_plane(Scaled(20, 1), "second", Scaled(20, 2)).index_bytes();
  options.memory.budget_bytes = resolve(options, index).floor_bytes;
  CHECK(run(options) == reference);
}

TEST_CASE("both images of a pair are charged against max_sample_bytes", "[side][paired]") {
  auto options = pair_options();
  options.memory.max_sample_bytes = 90'000;  // the longer one has 130,000
  options.faults.policy = OnFault::blank;
  Loader loader(with_plane(Scaled(20, 1), "second", Scaled(20, 2, 13)), options);
  CHECK(std::ranges::count(drain(loader).statuses, RowStatus::blank) == 1);
  const auto faults = loader.report().faults;
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].kind == FaultKind::memory);
  CHECK(faults[0].name == "1/13");
  CHECK(contains(faults[0].reason, "plane second: 2/13: needs 13"));
}

TEST_CASE("a second image is a fault if it is bad or has no transform", "[paired]") {
  auto options = pair_options();
  options.faults.policy = OnFault::blank;
  const auto broken = Scripted(
      20, [](auto) { return std::make_shared<const std::vector<std::byte>>(12, std::byte{'x'}); });
  Loader loader(with_plane(Scaled(20, 1), "second", broken), options);
  CHECK(std::ranges::count(drain(loader).statuses, RowStatus::blank) == 20);
  CHECK(loader.report().faults.at(0).kind == FaultKind::unsupported);
  CHECK(loader.report().faults.at(0).reason.starts_with("image 2 of the sample: "));

  options.transform = {};
  Loader untaken(with_plane(Scaled(20, 1), "second", Scaled(20, 2)), options);
  CHECK(std::ranges::count(drain(untaken).statuses, RowStatus::blank) == 20);
  CHECK(contains(untaken.report().faults.at(0).reason, "no transform that takes them"));
}

TEST_CASE("a transform of fitted input gets the second image whole", "[paired]") {
  auto options = pair_options();
  options.transform = {
      .apply =
          [](DecodedSample& s) {
            if (s.plane(0).shape != ImageSize{20, 24} || s.image.data != s.row.data)
              throw SampleError(FaultKind::corrupt, "not so");
            std::memset(s.side.data(), s.plane(0).data[2], s.side.size());
          },
      .input = TransformInput::fitted};
  Loader loader(with_plane(Scaled(20, 1), "second", Scaled(20, 2)), options);
  const auto log = drain(loader);
  for (std::size_t i = 0; i < 20; ++i)
    CHECK(log.side[i * options.side_bytes] == std::byte(log.indices[i]));
}

TEST_CASE("a transform gets all images of nested pairs, even cached", "[paired]") {
  auto options = pair_options();
  options.side_bytes = 2;
  options.cache = {Cache::encoded, 4 << 20};
  options.transform = {.apply =
                           [](DecodedSample& s) {
                             if (s.image.shape != ImageSize{10, 12} ||
                                 s.plane(0).shape != ImageSize{20, 24} ||
                                 s.plane(1).shape != ImageSize{30, 36})
                               throw SampleError(FaultKind::corrupt, "not so");
                             s.side[0] = std::byte(s.plane(0).data[2]);
                             s.side[1] = std::byte(s.plane(1).data[2]);
                           },
                       .input = TransformInput::decoded};
  Loader loader(
      with_plane(with_plane(Scaled(20, 1), "second", Scaled(20, 2)), "third", Scaled(20, 3)),
      options);
  const auto log = drain(loader, {.epochs = 2});
  REQUIRE(log.indices.size() == 40);
  for (std::size_t i = 0; i < 40; ++i) {
    CHECK(log.side[2 * i] == std::byte(log.indices[i]));
    CHECK(log.side[2 * i + 1] == std::byte(log.indices[i]));
  }
  CHECK(loader.report().cache.hits > 0);
  CHECK(
      probe(with_plane(with_plane(Scaled(20, 1), "second", Scaled(20, 2)), "third", Scaled(20, 3)),
            options)
          .sound == 20);

  options.faults.policy = OnFault::blank;
  Loader bad(with_plane(with_plane(Scaled(20, 1), "second", Scaled(20, 2)), "third",
                        Scripted(20,
                                 [](auto) {
                                   return std::make_shared<const std::vector<std::byte>>(
                                       12, std::byte{'x'});
                                 })),
             options);
  drain(bad);
  CHECK(bad.report().faults.at(0).reason.starts_with("image 3 of the sample: "));
}

TEST_CASE("an absent second image has no pixels", "[paired]") {
  auto options = pair_options();
  options.side_bytes = 1;
  options.cache = {Cache::encoded, 4 << 20};
  options.transform = {
      .apply = [](DecodedSample& s) { s.side[0] = std::byte(s.plane(0).data == nullptr); },
      .input = TransformInput::decoded};
  const auto masks = subset(Scaled(20, 1), {3, 5});
  const auto pairs = with_plane(Scaled(20, 1), "mask", masks, MissingPlane::absent);
  Loader loader(pairs, options);
  const auto log = drain(loader, {.epochs = 2});
  REQUIRE(log.indices.size() == 40);
  for (std::size_t i = 0; i < 40; ++i)
    CHECK((log.side[i] == std::byte{1}) == (log.indices[i] != 3 && log.indices[i] != 5));
  CHECK(loader.report().fault_count == 0);
  CHECK(probe(pairs, options).sound == 20);
}
