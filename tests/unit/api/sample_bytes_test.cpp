#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <random>

#include "contract/laws/various.hpp"
#include "plan/loader_bytes.hpp"
#include "proof/configurations/images.hpp"
#include "support/catch.hpp"
#include "unit/source/fixture.hpp"

using namespace weir;
using namespace weir::test;

namespace {

constexpr std::uint64_t mib = 1ull << 20;

/// Images of every format, of several sizes.
AnySource every_kind() {
  static const std::vector<Bytes> made{make_jpeg(61, 47, false),   make_jpeg(203, 118, true),
                                       make_jpeg(390, 220, false), make_png(90, 131, false),
                                       make_png(90, 130, true),    images_of(Kind::webp).front(),
                                       make_jpeg(16, 16, false),   images_of(Kind::tiny).front()};
  std::vector<const Bytes*> files;
  for (const auto& bytes : made) files.push_back(&bytes);
  return Files(std::move(files));
}

/// Counts reads. Once it has grown, sample 2 is a large image.
class Growing {
 public:
  struct State {
    std::atomic<std::uint64_t> reads{0};
    std::atomic<bool> grown{false};
  };
  explicit Growing(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::uint64_t size() const { return small_.size(); }
  Encoded read(std::uint64_t i, ByteSink& sink) const {
    ++state_->reads;
    return (i == 2 && state_->grown ? large_ : small_).read(i, sink);
  }
  std::string name(std::uint64_t i) const { return small_.name(i); }
  std::uint64_t index_bytes() const { return 0; }

 private:
  AnySource small_ = synthetic(12, {60, 80}), large_ = synthetic(12, {600, 800});
  std::shared_ptr<State> state_;
};

/// The read of sample 2 is `of_two`.
struct OneFails {
  std::function<std::optional<Encoded>(ByteSink&)> of_two;
  AnySource sound = synthetic(4, {24, 28});
  std::uint64_t size() const { return sound.size(); }
  std::optional<Encoded> try_read(std::uint64_t i, ByteSink& sink) const {
    return i == 2 ? of_two(sink) : sound.try_read(i, sink);
  }
  std::string name(std::uint64_t i) const { return "own/" + std::to_string(i); }
  std::uint64_t index_bytes() const { return 0; }
};

/// How many samples of `epochs` epochs are faults because they need more than `most`.
std::uint64_t too_large(const AnySource& source, Options options, std::uint64_t most,
                        std::uint64_t epochs) {
  options.memory.max_sample_bytes = most;
  options.faults.policy = OnFault::blank;
  Loader loader(source, options);
  drain(loader, {.epochs = epochs});
  std::uint64_t number = 0;
  for (const auto& fault : loader.report().faults) number += fault.kind == FaultKind::memory;
  return number;
}

}  // namespace

TEST_CASE("the measured bytes of one sample are enough, and no less is", "[sizes][measured]") {
  const auto source = every_kind();
  auto options = small_options();
  const auto check = [&](const char* what, const Options& with) {
    CAPTURE(what);
    const auto most = measure_sample_bytes(source, with);
    CHECK(most > 10'000);
    CHECK(too_large(source, with, most, 3) == 0);
    CHECK(too_large(source, with, most - 1, 1) > 0);
  };
  check("center", options);
  for (const auto fit : {Fit::stretch, Fit::letterbox}) {
    auto other = options;
    other.fit = fit;
    if (fit == Fit::stretch) other.filter = Filter::antialiased;
    check(fit == Fit::stretch ? "stretch" : "letterbox", other);
  }
  auto fast = options;
  fast.decode = Decode::fast;
  check("fast", fast);
  CHECK(measure_sample_bytes(source, fast) <= measure_sample_bytes(source, options));
  add_steps(options);
  check("transform of whole images", options);
}

TEST_CASE("random crops never need more than was measured", "[sizes][measured]") {
  const auto source = every_kind();
  for (const auto shape : {ImageSize{16, 16}, ImageSize{118, 203}, ImageSize{300, 300}})
    for (const auto decode : {Decode::exact, Decode::fast})
      for (const auto filter : {Filter::bilinear, Filter::antialiased}) {
        auto options = small_options();
        options.shape = shape;
        options.fit = Fit::random;
        options.decode = decode;
        options.filter = filter;
        options.order = Order::shuffle();
        CAPTURE(shape.height, filter);
        CHECK(too_large(source, options, measure_sample_bytes(source, options), 20) == 0);
      }
}

TEST_CASE("partners at the size of a larger row need what was measured", "[sizes][measured]") {
  const auto source = every_kind();
  for (const int kind : {0, 1, 2})
    for (const auto filter : {Filter::bilinear, Filter::antialiased}) {
      auto options = own_size_options(kind);
      options.filter = filter;
      options.partners.count = 2;
      options.transform = {.apply = [](DecodedSample&) {}, .input = TransformInput::fitted};
      CAPTURE(kind, filter);
      const auto most = measure_sample_bytes(source, options);
      CHECK(too_large(source, options, most, 10) == 0);
      options.memory.max_sample_bytes = ByteBound::measured;
      Loader loader(source, options);
      CHECK(loader.plan().max_sample_bytes == most);
    }
}

TEST_CASE("partners and planes of random sizes need what was measured", "[sizes][measured]") {
  std::mt19937 random(28);
  const auto below = [&](std::uint32_t end) { return static_cast<std::uint32_t>(random() % end); };
  const auto side = [&] { return 1 + below(std::array{60u, 8u, 900u}[below(3)]); };
  for (int round = 0; round < 30; ++round) {
    std::vector<Bytes> made;
    while (made.size() < 6) {
      const auto make = below(2) == 0 ? make_jpeg : make_png;
      made.push_back(make(side(), side(), below(2) == 0));
    }
    const AnySource source = Files({&made[0], &made[1], &made[2], &made[3], &made[4], &made[5]});
    auto options = own_size_options(round % 3);
    options.batch = 2;
    options.filter = round % 2 == 0 ? Filter::antialiased : Filter::bilinear;
    options.partners.count = 1 + below(3);
    options.transform = {.apply = [](DecodedSample&) {}, .input = TransformInput::fitted};
    if (round % 4 > 0)
      options.planes = {{.name = "first",
                         .pixels = PixelFormat::grey8,
                         .filter = options.filter,
                         .scale = std::array{Ratio{1, 8}, Ratio{2, 1}, Ratio{1, 3}}[below(3)],
                         .match = PlaneMatch::stretch,
                         .optional = true}};
    CAPTURE(round);
    CHECK(too_large(source, options, measure_sample_bytes(source, options), 6) == 0);
  }
}

TEST_CASE("partners need a second reading only with measured", "[sizes][measured]") {
  const auto state = std::make_shared<Growing::State>();
  const AnySource source = Growing(state);
  auto options = own_size_options(0);
  options.partners.count = 1;
  options.transform = {.apply = [](DecodedSample&) {}, .input = TransformInput::fitted};
  options.sizes.index = measure_sizes(source, options);
  CHECK(state->reads.exchange(0) == 12);
  measure_sample_bytes(source, options);
  CHECK(state->reads.exchange(0) == 12);
  options.sizes.index = nullptr;
  Loader loader(source, options);
  CHECK(state->reads.exchange(0) == 12);
  options.memory.max_sample_bytes = ByteBound::measured;
  Loader measured(source, options);
  CHECK(state->reads == 24);
}

TEST_CASE("low rows and turned files need what was measured", "[sizes][measured]") {
  const auto jpeg = make_jpeg(390, 220, false);
  std::vector<Bytes> turned;
  for (const auto exif : {std::uint8_t{1}, std::uint8_t{3}, std::uint8_t{6}})
    turned.push_back(codec::test::with_exif(jpeg, exif));
  const AnySource source = Files({&turned[0], &turned[1], &turned[2]});
  const auto check = [&](const Options& options) {
    CHECK(too_large(source, options, measure_sample_bytes(source, options), 6) == 0);
  };
  auto options = small_options();
  options.filter = Filter::antialiased;
  options.shape = {64, 48};
  options.sizes.size = {.name = "low", .of = [](const SizeInput& in) {
                          return in.epoch % 2 == 0 ? ImageSize{64, 3} : ImageSize{2, 48};
                        }};
  options.fit = Fit::stretch;
  check(options);
  options.fit = Fit::center;
  options.short_side = 0;
  options.sizes.size = {};
  options.window = {.choose =
                        [](const WindowInput& in, Random& random) {
                          const auto [height, width] = in.image;
                          return Window{.source = {0, 0, double{1} * width, double{1} * height},
                                        .target = {0, 0, 1.0 + double(random.below(48)),
                                                   1.0 + double(random.below(64))}};
                        },
                    .name = "low"};
  check(options);
}

TEST_CASE("a narrower row that weighs more pixels has what was measured", "[sizes][measured]") {
  const std::vector<Bytes> made{make_png(3000, 2, false), make_png(1999, 2, false)};
  const AnySource source = Files({&made[0], &made[1]});
  auto options = small_options();
  options.batch = 1;
  options.filter = Filter::antialiased;
  options.fit = Fit::stretch;
  options.shape = {1, 48};
  options.sizes.size = {.name = "narrow", .of = [](const SizeInput& in) {
                          return ImageSize{1, static_cast<std::uint32_t>(48 - in.epoch % 12)};
                        }};
  CHECK(too_large(source, options, measure_sample_bytes(source, options), 12) == 0);
}

TEST_CASE("a large image in the row of a small, bad one is measured", "[sizes][measured]") {
  auto cut = make_jpeg(2000, 4, false);
  cut.resize(cut.size() / 2);
  const auto large = make_jpeg(2000, 1500, false);
  for (const auto filter : {Filter::bilinear, Filter::antialiased})
    for (const auto mode : {Sizes::padded, Sizes::ragged}) {
      auto options = own_size_options(0);
      options.sizes.mode = mode;
      options.batch = 1;
      options.filter = filter;
      options.faults.policy = OnFault::skip;
      Loader loader(Files({&cut, &large}), options);
      drain(loader);
      CHECK(loader.report().fault_count == 1);  // the cut image
    }
}

TEST_CASE("a loader that measures sizes measures the bytes of a sample",
          "[sizes][measured][cache]") {
  const AnySource source = Various(drawn_sizes(30, 200, 6), {11}, {3});
  for (const int kind : {0, 1, 2})
    for (const auto policy : {OnFault::blank, OnFault::skip}) {
      auto options = own_size_options(kind);
      options.faults.policy = policy;
      options.memory.budget_bytes = 64 * mib;
      options.cache.keep = Cache::decoded;
      if (kind == 1) options.sizes.max_width = 90;
      const auto most = measure_sample_bytes(source, options);
      Loader loader(source, options);
      CHECK(loader.plan().max_sample_bytes == most);
      CHECK(most < mib);
      // Without it, a quarter of the budget was reserved.
      auto known = options;
      known.sizes.index = measure_sizes(source, options);
      const auto before = Loader(source, known).plan();
      CHECK(before.max_sample_bytes > 10 * mib);
      const auto workers = loader.plan().workers * (plan::typical_arena_bytes - most);
      CHECK(loader.plan().cache.bytes - before.cache.bytes ==
            before.max_sample_bytes - most + workers);
      CHECK(loader.plan().floor_bytes < before.floor_bytes);
      drain(loader, {.epochs = 4});
      for (const auto& fault : loader.report().faults) CHECK(fault.kind != FaultKind::memory);
      CHECK(too_large(source, options, most, 4) == 0);
    }
}

TEST_CASE("a sample too large for the budget is a fault, not a refusal", "[sizes][measured]") {
  auto options = own_size_options(1);
  options.batch = 1;
  options.faults.policy = OnFault::blank;
  options.sizes.max_width = 20;
  const std::vector<Bytes> made{make_png(2500, 1500, true), make_jpeg(60, 40, false)};
  const AnySource source = Files({&made[0], &made[1]});
  REQUIRE(measure_sample_bytes(source, options) > 9 * mib);
  options.memory.budget_bytes = 12 * mib;
  Loader loader(source, options);
  CHECK(loader.plan().max_sample_bytes == 8 * mib);
  drain(loader);
  CHECK(loader.report().fault_count == 1);
}

TEST_CASE("12-megapixel images leave their unneeded bytes to the cache", "[sizes][measured]") {
  const std::vector<Bytes> made{make_jpeg(4000, 3000, false)};
  const AnySource source = Files({&made[0]});
  Options options;
  options.batch = 1;
  options.memory.budget_bytes = 700 * mib;
  options.cache.keep = Cache::decoded;
  const auto before = resolve(options, 0, 0, 1);
  CHECK(before.max_sample_bytes > 150 * mib);
  options.memory.max_sample_bytes = measure_sample_bytes(source, options);
  const auto measured = Loader(source, options).plan().max_sample_bytes;
  CHECK(measured < 4 * mib);
  CHECK(resolve(options, 0, 0, 1).cache.bytes > before.cache.bytes + 150 * mib);
  auto itself = options;
  itself.memory.max_sample_bytes = ByteBound::measured;
  CHECK(Loader(source, itself).plan().max_sample_bytes == measured);
}

TEST_CASE("max_sample_bytes = measured reserves what the data need", "[sizes][measured]") {
  const int kind = GENERATE(-1, 0, 1, 2);  // -1: one shape
  CAPTURE(kind);
  const auto state = std::make_shared<Growing::State>();
  const AnySource source = Growing(state);
  auto options = kind < 0 ? small_options(true) : own_size_options(kind);
  const auto most = measure_sample_bytes(source, options);
  options.faults.policy = OnFault::blank;
  options.memory.max_sample_bytes = ByteBound::measured;
  state->reads = 0;
  Loader loader(source, options);
  CHECK(state->reads == 12);
  CHECK(loader.plan().max_sample_bytes == most);
  drain(loader, {.epochs = 3});
  CHECK(loader.report().fault_count == 0);
  // Its floor has that much, and no more.
  auto tight = options;
  tight.memory.budget_bytes = loader.plan().floor_bytes;
  CHECK(Loader(source, tight).plan().max_sample_bytes == most);
  --*tight.memory.budget_bytes;
  CHECK_THROWS_WITH(Loader(source, tight), has_text("for one sample (`memory.max_sample_bytes`)"));
  // A file that has grown since is a fault with a name.
  state->grown = true;
  drain(loader);
  const auto report = loader.report();
  REQUIRE(report.fault_count == 1);
  CHECK(report.faults[0].kind == FaultKind::memory);
  CHECK(report.faults[0].index == 2);
  CHECK_THAT(report.faults[0].reason, has_text("`max_sample_bytes` is " + std::to_string(most)));
}

TEST_CASE("max_sample_bytes reads nothing by default or in a plan", "[sizes][measured]") {
  const auto state = std::make_shared<Growing::State>();
  auto options = small_options();
  options.memory.budget_bytes = 200 * mib;
  Loader loader(Growing(state), options);
  CHECK(state->reads == 0);
  options.memory.max_sample_bytes = ByteBound::measured;
  CHECK(resolve(options, 0).max_sample_bytes == loader.plan().max_sample_bytes);
}

TEST_CASE("a loader takes what it measured even if a sample is bad", "[sizes][measured]") {
  for (const bool steps : {false, true}) {
    auto options = small_options(steps);
    options.memory.max_sample_bytes = ByteBound::measured;
    options.faults.policy = OnFault::blank;
    Loader loader(Flawed(4, 1), options);  // sample 3 is bad, the others are not
    CHECK(loader.plan().max_sample_bytes == measure_sample_bytes(Flawed(4, 1), options));
    const Bytes bad(20, std::byte{'x'});
    Loader none(Files({&bad}), options);
    CHECK(none.plan().max_sample_bytes == (steps ? options.transform.scratch_bytes : bad.size()));
    drain(none);
    CHECK(none.report().fault_count == 1);
  }
}

TEST_CASE("a bad sample above all sound ones has its own kind", "[sizes][measured]") {
  const auto small = make_jpeg(20, 20, false), wide = make_jpeg(900, 700, false);
  auto broken = wide;
  broken[0] = std::byte{0};
  for (const auto mode : {Sizes::fixed, Sizes::padded}) {
    auto options = small_options();
    options.sizes.mode = mode;
    options.limits.max_side = 500;
    options.faults.policy = OnFault::blank;
    options.memory.max_sample_bytes = ByteBound::measured;
    Loader loader(Files({&small, &wide, &broken}), options);
    drain(loader);
    const auto faults = loader.report().faults;
    REQUIRE(faults.size() == 2);
    for (const auto& fault : faults)
      CHECK(fault.kind == (fault.index == 1 ? FaultKind::limit : FaultKind::unsupported));
  }
}

TEST_CASE("a read that fails stops no loader that measures", "[sizes][measured][probe]") {
  const auto takes = [](std::size_t bytes) {
    return OneFails{[bytes](ByteSink& sink) -> std::optional<Encoded> {
      const auto memory = sink.try_take(bytes);
      return memory ? std::optional(Encoded{.bytes = *memory}) : std::nullopt;
    }};
  };
  auto options = own_size_options(0);
  options.batch = 1;
  options.faults.policy = OnFault::blank;
  const auto check = [&](const AnySource& source, FaultKind kind) {
    CHECK((*measure_sizes(source, options))[2] == ImageSize{});
    Loader loader(source, options);
    drain(loader);
    const auto report = loader.report();
    REQUIRE(report.fault_count == 1);
    CHECK(report.faults[0].index == 2);
    CHECK(report.faults[0].kind == kind);
  };
  const AnySource throws =
      OneFails{[](ByteSink&) -> std::optional<Encoded> { throw std::bad_alloc(); }};
  const AnySource nothing = OneFails{[](ByteSink&) { return std::nullopt; }};
  const std::optional<ByteBound> bounds[]{std::nullopt, 8 * mib, ByteBound::measured};
  for (const auto& bound : bounds) {
    options.memory.max_sample_bytes = bound;
    check(throws, FaultKind::memory);
    check(nothing, FaultKind::io);
    if (bound != ByteBound::measured) check(takes(std::size_t{1} << 50), FaultKind::memory);
  }
  // A number bounds what is read to learn the sizes, but not the answer what it should be.
  const auto most = measure_sample_bytes(throws, options);
  options.memory.max_sample_bytes = 1;
  CHECK(most > 1);
  CHECK(measure_sample_bytes(throws, options) == most);
  options.memory.max_sample_bytes = 8 * mib;
  options.memory.budget_bytes = 64 * mib;
  check(takes(100 * mib), FaultKind::memory);
  // probe() has the fault of a stream.
  const auto fault = probe(nothing, small_options()).faults.at(0);
  CHECK(fault.kind == FaultKind::io);
  CHECK(fault.reason == "the source gave nothing, though no bytes were refused");
}

TEST_CASE("without a budget no error names one", "[sizes]") {
  struct Endless : OneFails {
    std::uint64_t size() const { return std::uint64_t{1} << 62; }
  };
  CHECK_THROWS_WITH(
      measure_sizes(Endless{}, own_size_options(0)),
      has_text("more than 2^64 bytes are needed for the sizes of 4611686018427387904 samples"));
}

TEST_CASE("contradictory options are refused before a sample is read", "[sizes][measured]") {
  const auto state = std::make_shared<Growing::State>();
  const AnySource source = Growing(state);
  auto options = small_options();
  options.memory.max_sample_bytes = ByteBound::measured;
  const auto refused = [&](const char* why) {
    CHECK_THROWS_WITH(Loader(source, options), has_text(why));
    CHECK(state->reads == 0);
  };
  options.cache.keep = Cache::decoded;
  refused("the cache has no bound");
  options.cache = {};
  options.batch = 0;
  refused("`batch` = 0");
  CHECK_THROWS_WITH(measure_sizes(source, options), has_text("`batch` = 0"));
  CHECK(state->reads == 0);
}

TEST_CASE("probe() with measured refuses no sample for its memory", "[sizes][measured][probe]") {
  auto options = small_options();
  const AnySource source = Growing(std::make_shared<Growing::State>());
  options.memory.max_sample_bytes = measure_sample_bytes(source, options) - 1;
  CHECK(probe(source, options).faults.size() > 0);
  options.memory.max_sample_bytes = ByteBound::measured;
  CHECK(probe(source, options).faults.empty());
}

TEST_CASE("a budget alone bounds a cache of images at their own sizes", "[sizes][cache]") {
  const AnySource source = Various(drawn_sizes(20, 40, 3));
  for (const int kind : {0, 1})
    for (const auto keep : {Cache::encoded, Cache::decoded}) {
      auto options = own_size_options(kind);
      options.memory.budget_bytes = 16 * mib;
      options.cache.keep = keep;
      Loader loader(source, options);
      CHECK(drain(loader, {.epochs = 2}).indices.size() == 40);
      CHECK(loader.report().cache.hits > 0);
    }
}

TEST_CASE("a cache without room says so in the plan and in the report", "[cache]") {
  auto options = small_options();
  const auto source = synthetic(20, {24, 24});
  options.memory.max_sample_bytes = 1 << 20;
  options.memory.budget_bytes = resolve(options, source.index_bytes(), 0, 20).floor_bytes;
  options.cache.keep = Cache::decoded;
  Loader loader(source, options);
  CHECK(loader.plan().cache.bytes == 0);
  CHECK_THAT(loader.report().plan.cache.note,
             has_text("nothing is kept: index, slabs, the 1.00 MiB of `memory.max_sample_bytes`") &&
                 has_text("`memory.max_sample_bytes` = measured"));
  options.cache = {Cache::decoded, 100};
  options.memory.budget_bytes.reset();
  CHECK_THAT(resolve(options, 0, 0, 20).cache.note, has_text("`cache.max_bytes` = 100"));
  options.cache.max_bytes = 500;
  CHECK_THAT(resolve(options, 0, 0, 20).cache.note, has_text("a row of 768 bytes does not fit"));
  options.cache.max_bytes = 5000;
  CHECK(resolve(options, 0, 0, 20).cache.note.empty());
}

TEST_CASE("a loader knows the names of its samples", "[api]") {
  const auto source = synthetic(20, {24, 24});
  Loader loader(source, small_options());
  for (std::uint64_t i = 0; i < 20; ++i) CHECK(loader.name(i) == source.name(i));
  CHECK_THROWS_WITH(loader.name(20), has_text("Loader::name(index = 20): the source has 20"));
  CHECK_THROWS_WITH(loader.name(UINT64_MAX), has_text("Loader::name"));
}
