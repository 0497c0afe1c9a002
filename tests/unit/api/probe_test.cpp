#include "weir/probe.hpp"
#include "weir/source.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <vector>

#include "support/catch.hpp"
#include "support/sanitized.hpp"
#include "weir/loader.hpp"

using namespace weir;
using weir::test::sanitized;

namespace {

std::vector<std::byte> bytes_of(const AnySource& source, std::uint64_t index) {
  MemorySink sink;
  const auto encoded = source.read(index, sink).bytes;
  return {encoded.begin(), encoded.end()};
}

/// Ten JPEGs.
std::vector<MemorySample> sound() {
  const auto made = synthetic(10, {.height = 40, .width = 60});
  std::vector<MemorySample> samples;
  for (std::uint64_t i = 0; i < made.size(); ++i)
    samples.push_back({"s" + std::to_string(i), bytes_of(made, i), 0});
  return samples;
}

/// The same, but the fourth is truncated to half, the eighth is not an image.
AnySource mixed() {
  auto samples = sound();
  samples[3].bytes.resize(samples[3].bytes.size() / 2);
  samples[7].bytes.assign(100, std::byte{'x'});
  return in_memory(std::move(samples));
}

/// A codec that runs out of memory in info() or in decode().
class Starved final : public ForeignCodec {
 public:
  explicit Starved(bool in_info) : in_info_(in_info) {}
  bool accepts(std::span<const std::byte> head) const noexcept override {
    return head.front() == std::byte{'x'};
  }
  Info info(std::span<const std::byte>) const override {
    if (in_info_) throw std::bad_alloc();
    return {8, 8, 0};
  }
  void decode(PixelFormat, std::span<const std::byte>, const Info&,
              std::span<std::uint8_t>) const override {
    throw std::bad_alloc();
  }

 private:
  bool in_info_;
};

/// Ten valid samples. The read of the third one gets no memory.
class Unread {
 public:
  std::uint64_t size() const { return sound_.size(); }
  Encoded read(std::uint64_t i, ByteSink& sink) const {
    if (i == 2) throw std::bad_alloc();
    return sound_.read(i, sink);
  }
  std::string name(std::uint64_t i) const { return sound_.name(i); }
  std::uint64_t index_bytes() const { return 0; }

 private:
  AnySource sound_ = synthetic(10, {.height = 40, .width = 60});
};

Options probe_options(std::uint32_t workers) {
  return {.shape = {.height = 16, .width = 16}, .workers = workers};
}

}  // namespace

TEST_CASE("a survey finds every bad file with any number of workers", "[probe]") {
  const auto workers = GENERATE(1u, 2u, 7u, 64u);
  const auto found = probe(mixed(), probe_options(workers));
  CHECK(found.samples == 10);
  CHECK(found.sound == 8);
  REQUIRE(found.faults.size() == 2);
  CHECK(found.faults[0].index == 3);
  CHECK(found.faults[0].name == "s3");
  CHECK(found.faults[1].index == 7);
  CHECK(found.faults[1].kind == FaultKind::unsupported);
  CHECK(found.formats == std::map<std::string, std::uint64_t>{{"jpeg", 8}});
  CHECK(found.width.least <= found.width.most);
  CHECK(found.encoded_bytes.least > 0);
  CHECK(found.worst_scratch.scratch_bytes > 0);
  CHECK_FALSE(found.worst_scratch.name.empty());
}

TEST_CASE("a source without files has no least and no most", "[probe]") {
  const auto found = probe(in_memory({}), probe_options(2));
  CHECK(found.samples == 0);
  CHECK(found.width.least == 0);
  CHECK(found.width.most == 0);
}

TEST_CASE("a file that gets no memory is a fault, the others are sound", "[probe][R1]") {
  auto options = probe_options(GENERATE(1u, 3u));
  options.codecs = {std::make_shared<const Starved>(GENERATE(false, true))};
  const auto found = probe(mixed(), options);
  CHECK(found.samples == 10);
  CHECK(found.sound == 8);
  REQUIRE(found.faults.size() == 2);
  CHECK(found.faults[1].index == 7);
  CHECK(found.faults[1].kind == FaultKind::memory);
  CHECK(found.faults[1].stage == Stage::decode);

  const auto unread = probe(Unread(), options);
  CHECK(unread.sound == 9);
  REQUIRE(unread.faults.size() == 1);
  CHECK(unread.faults[0].kind == FaultKind::memory);
  CHECK(unread.faults[0].stage == Stage::read);
}

TEST_CASE("a file that needs more memory than there is is a fault", "[probe][R1]") {
  if (sanitized) return;  // a sanitizer ends the program at this point
  constexpr std::uint32_t side = 1 << 24;
  class Huge final : public ForeignCodec {
    bool accepts(std::span<const std::byte> head) const noexcept override {
      return head.front() == std::byte{'x'};
    }
    Info info(std::span<const std::byte>) const override { return {side, side, 0}; }
    void decode(PixelFormat, std::span<const std::byte>, const Info&,
                std::span<std::uint8_t>) const override {}
  };
  auto options = probe_options(2);
  options.codecs = {std::make_shared<const Huge>()};
  options.limits.max_side = UINT32_MAX;
  options.limits.max_pixels = UINT64_MAX;
  options.memory.max_sample_bytes = std::uint64_t{1} << 50;
  const auto found = probe(mixed(), options);
  CHECK(found.sound == 8);
  REQUIRE(found.faults.size() == 2);
  CHECK(found.faults[1].kind == FaultKind::memory);
}

TEST_CASE("probe() judges a file's bytes as it judges a data set", "[probe]") {
  const auto source = mixed();
  const auto whole = probe(source, probe_options(1));
  for (std::uint64_t i = 0; i < source.size(); ++i) {
    CAPTURE(i);
    const auto bytes = bytes_of(source, i);
    const auto one = probe(bytes, probe_options(1));
    const auto fault = std::ranges::find(whole.faults, i, &Fault::index);
    REQUIRE(one.fault.has_value() == (fault != whole.faults.end()));
    if (one.fault) {
      CHECK(one.fault->kind == fault->kind);
      CHECK(one.fault->reason == fault->reason);
      CHECK(one.fault->offset == fault->offset);
    } else {
      CHECK(one.format == "jpeg");
      CHECK(one.encoded_bytes == bytes.size());
      CHECK(one.scratch_bytes <= whole.worst_scratch.scratch_bytes);
    }
  }
}

TEST_CASE("probe() says what a stream says of a bad sample", "[probe]") {
  auto options = probe_options(1);
  options.fit = Fit::stretch;  // with a crop, a stream may not reach the damage
  options.faults.policy = OnFault::blank;
  SECTION("as it is") {}
  SECTION("limits") { options.limits.max_side = 50; }
  SECTION("admission") { options.memory.max_sample_bytes = 30'000; }
  SECTION("a sample that is larger than may be held") { options.memory.max_sample_bytes = 500; }
  Loader loader(mixed(), options);
  for (auto& batch : loader.stream()) static_cast<void>(batch);
  const auto run = loader.report().faults;
  const auto found = probe(mixed(), options).faults;
  REQUIRE(found.size() == run.size());
  for (std::size_t i = 0; i < run.size(); ++i) {
    CHECK(found[i].index == run[i].index);
    CHECK(found[i].name == run[i].name);
    CHECK(found[i].kind == run[i].kind);
    CHECK(found[i].stage == run[i].stage);
    CHECK(found[i].reason == run[i].reason);
    CHECK(found[i].offset == run[i].offset);
  }
}

TEST_CASE("probe() gives verdicts while it works, and ends when told", "[probe]") {
  std::vector<std::uint64_t> seen;
  std::stop_source stop;
  const auto note = [&](const ProbedImage& image) {
    seen.push_back(image.index);
    if (seen.size() == 4) stop.request_stop();
  };
  SECTION("to the end") {
    const auto all = probe(mixed(), probe_options(3), {.on_image = note});
    CHECK(all.samples == 10);
    std::ranges::sort(seen);
    CHECK(seen == std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  }
  SECTION("to a stop") {
    const auto some =
        probe(mixed(), probe_options(1), {.on_image = note, .stop = stop.get_token()});
    CHECK(some.samples == 4);
    CHECK(seen.size() == 4);
    const auto endless = synthetic(std::uint64_t{1} << 60, {8, 8});
    CHECK(probe(endless, probe_options(2), {.stop = stop.get_token()}).samples == 0);
  }
  SECTION("what the callback throws ends it") {
    const auto fail = [](const ProbedImage& image) {
      if (image.index == 5) throw std::runtime_error("enough");
    };
    CHECK_THROWS_WITH(probe(mixed(), probe_options(2), {.on_image = fail}), "enough");
  }
}

TEST_CASE("probe() checks the planes that a loader would read", "[probe]") {
  const auto pairs = with_plane(in_memory(sound()), "mask", mixed());
  auto options = probe_options(2);
  CHECK(probe(pairs, options).faults.empty());
  options.planes = {{.name = "mask", .pixels = PixelFormat::rgb8, .match = PlaneMatch::stretch}};
  options.transform.apply = [](DecodedSample&) { FAIL("probe() calls no transform"); };
  const auto taken = probe(pairs, options);
  REQUIRE(taken.faults.size() == 2);
  CHECK(taken.faults[0].index == 3);
  CHECK(taken.faults[0].reason.starts_with("plane mask: "));
  options.planes[0].optional = true;
  const auto rest = subset(mixed(), {0, 1, 2, 3, 4, 5, 6, 7, 8});
  const auto found =
      probe(with_plane(in_memory(sound()), "mask", rest, MissingPlane::absent), options);
  CHECK(found.faults.empty());
  CHECK(found.planes.at(0).ok == 7);
  CHECK(found.planes[0].absent == 1);
  CHECK(found.planes[0].broken == 2);
  REQUIRE(found.broken.size() == 2);
  CHECK(found.broken[0].index == 3);
  CHECK(found.broken[0].plane == "mask");
}

TEST_CASE("probe() says what files hold and what rows lack of it", "[probe][planes]") {
  const auto pgm = [](std::string_view header, std::size_t bytes) {
    std::vector<std::byte> file(header.size() + bytes);
    std::ranges::transform(header, file.begin(), [](char c) { return std::byte(c); });
    return file;
  };
  std::vector<MemorySample> masks{{"s0", pgm("P5\n60 40\n4095\n", 4800), 0},
                                  {"s1", {std::byte{'x'}}, 0}};
  const auto photos = subset(in_memory(sound()), {0, 1, 2});
  const auto source = with_plane(photos, "mask", in_memory(std::move(masks)), MissingPlane::absent);
  auto options = probe_options(1);
  options.pixels = PixelFormat::grey8;
  options.planes = {{.name = "mask",
                     .pixels = PixelFormat::stored16,
                     .match = PlaneMatch::stretch,
                     .optional = true}};
  std::vector<ProbedImage> images;
  probe(source, options, {.on_image = [&](const auto& image) { images.push_back(image); }});
  REQUIRE(images.size() == 3);
  CHECK(images[0].bits == 8);
  CHECK(images[0].colour);
  CHECK(images[0].drops == std::vector<std::string_view>{"colours"});
  const auto& mask = images[0].planes.at(0);
  CHECK(mask.status == PlaneStatus::ok);
  CHECK(mask.format == "pgm");
  CHECK(mask.height == 40);
  CHECK(mask.bits == 12);
  CHECK_FALSE(mask.colour);
  CHECK(mask.drops.empty());
  CHECK(images[1].planes.at(0).status == PlaneStatus::broken);
  CHECK(images[1].planes[0].format.empty());
  CHECK(images[2].planes.at(0).status == PlaneStatus::absent);
  CHECK(images[2].planes[0].format.empty());
}

TEST_CASE("probe() refuses what a loader refuses", "[probe]") {
  auto options = probe_options(1);
  options.memory.budget_bytes = 1000;
  CHECK_THROWS_AS(probe(mixed(), options), Error);
  options = probe_options(1);
  options.sizes.mode = Sizes::padded;
  CHECK_THROWS_AS(probe(mixed(), options), Error);
}
