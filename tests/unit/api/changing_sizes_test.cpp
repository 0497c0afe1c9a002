// Sizes that change while training runs, as a consumer receives them.
#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "contract/laws/various.hpp"
#include "support/catch.hpp"
#include "support/slab_bytes.hpp"
#include "support/text.hpp"

using namespace weir;
using namespace weir::test;

namespace {

constexpr std::array<ImageSize, 3> steps{{{16, 20}, {24, 24}, {10, 30}}};
constexpr ImageSize ceiling{24, 30};

using RowsByIndex = std::map<std::array<std::uint64_t, 2>, std::vector<std::uint8_t>>;

SizeFunction by_epoch() {
  return {.name = "by epoch", .of = [](const SizeInput& in) { return steps[in.epoch % 3]; }};
}

Options changing() {
  auto options = small_options();
  options.shape = ceiling;
  options.order = Order::shuffle();
  options.sizes.size = by_epoch();
  return options;
}

/// Padded or ragged.
Options changing(Sizes mode) {
  auto options = own_size_options(0);
  options.sizes = {.mode = mode, .max_height = 40, .max_width = 50};
  return options;
}

std::vector<std::uint8_t> values(const ImageView& image) {
  std::vector<std::uint8_t> all;
  for (std::uint32_t y = 0; y < image.shape.height; ++y) {
    const auto* const line = image.data + y * image.row_stride;
    all.insert(all.end(), line, line + image.shape.width * pixel_bytes(image.format));
  }
  return all;
}

/// The rows of an epoch, by index.
RowsByIndex rows_of(Loader& loader, StreamOptions extent) {
  RowsByIndex rows;
  for (auto& batch : loader.stream(extent))
    for (std::uint32_t i = 0; i < batch.size(); ++i)
      rows[{batch.epoch(), batch.indices()[i]}] = values(batch.image(i));
  return rows;
}

RowsByIndex rows_of(const AnySource& source, const Options& options,
                    StreamOptions extent = {.epochs = 3}) {
  Loader loader(source, options);
  return rows_of(loader, extent);
}

std::string refusal(const AnySource& source, const Options& options) {
  try {
    Loader loader(source, options);
  } catch (const Error& error) {
    CHECK(error.code() == Errc::bad_options);
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a batch has the size that the function gives", "[sizes]") {
  const auto source = synthetic(11, {60, 50});
  Loader loader(source, changing());
  CHECK(loader.plan().shape == ceiling);
  CHECK(loader.plan().sizes.size == "by epoch");
  std::uint64_t rows = 0;
  for (auto& batch : loader.stream({.epochs = 3})) {
    const auto block = batch.pixels();
    CHECK(block.shape == steps[batch.epoch()]);
    CHECK(block.pixels.size() == batch.size() * image_bytes(block.shape, PixelFormat::rgb8));
    CHECK(batch.bytes_held() == loader.plan().slab_bytes);
    rows += batch.size();
  }
  CHECK(rows == 33);
}

TEST_CASE("a row of a changed size is that of a loader of this size", "[sizes]") {
  const auto source = synthetic(7, {60, 50});
  auto options = changing();
  options.fit = GENERATE(Fit::center, Fit::random, Fit::letterbox, Fit::stretch, Fit::patch);
  options.planes = {{.name = "drawn", .scale = {1, 2}, .made = true}};
  options.transform = {
      .apply =
          [](DecodedSample& sample) {
            CHECK(sample.planes[0].row.shape == scaled_by(sample.row.shape, {1, 2}));
          },
      .input = TransformInput::fitted};
  options.workers = 1;  // CHECK is not thread-safe
  const auto all = rows_of(source, options);
  RowsByIndex alone;
  for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
    auto fixed = options;
    fixed.sizes.size = {};
    fixed.shape = steps[epoch];
    alone.merge(rows_of(source, fixed, {.first_epoch = epoch, .epochs = epoch + 1}));
  }
  CHECK(all.size() == 21);
  CHECK(all == alone);
}

TEST_CASE("changing sizes do not depend on threads, queue and cache", "[sizes]") {
  const Various source(drawn_sizes(13, 60));
  const int kind = GENERATE(0, 1, 2);
  auto options = kind == 0 ? changing() : changing(kind == 1 ? Sizes::padded : Sizes::ragged);
  if (kind != 0) options.sizes.index = measure_sizes(source, options);
  options.annotation_bytes = 3;
  options.sizes.size = {
      "halves", [](const SizeInput& in) {
        const auto part = 1 + static_cast<std::uint32_t>((in.epoch + in.step) % 3);
        const auto [height, width] = in.image;
        return in.index == UINT64_MAX ? ImageSize{24 / part, 30 / part}
                                      : ImageSize{1 + height / 2 / part, 1 + width / 2 / part};
      }};
  const auto first = rows_of(source, options);
  for (auto other : on_other_machines(options)) {
    other.memory.max_sample_bytes = 8u << 20;
    if (other.workers == 4) other.cache = {.keep = Cache::encoded, .max_bytes = 1u << 20};
    if (other.memory.budget_bytes) *other.memory.budget_bytes += 1u << 20;
    CHECK(rows_of(source, other) == first);
  }
}

TEST_CASE("automatic tuning and predictions know the largest size", "[sizes]") {
  const auto source = synthetic(30, {60, 50});
  auto options = changing();
  const auto plain = rows_of(source, options, {.epochs = 9});
  tune_often(options);
  Loader loader(source, options);
  CHECK(rows_of(loader, {.epochs = 9}) == plain);
  const auto& plan = loader.plan();
  const auto predicted = predict(interval(loader.report()), {2, 1, 0, 4});
  CHECK(predicted.staging_bytes == 3 * plan.slab_bytes);
  CHECK(plan.slab_bytes == slab_bytes(ceiling, 4, 64));
}

TEST_CASE("a row has the size that the function makes of its image", "[sizes]") {
  const Various source({{16, 3648}, {40, 3648}, {5, 9}});
  auto options = changing(GENERATE(Sizes::padded, Sizes::ragged));
  options.sizes.max_width = 3648;
  options.sizes.size = {
      "a quarter", [](const SizeInput& in) {
        return ImageSize{std::max(1u, in.image.height / 4), std::max(1u, in.image.width / 4)};
      }};
  Loader loader(source, options);
  CHECK(loader.plan().shape == ImageSize{40, 3648});
  auto stream = loader.stream();
  const auto batch = stream.next();
  REQUIRE(batch);
  CHECK(batch->image(0).shape == ImageSize{4, 912});
  CHECK(batch->image(1).shape == ImageSize{10, 912});
  CHECK(batch->image(2).shape == ImageSize{1, 2});
  CHECK(batch->window(0).target == Rect{0, 0, 912, 4});
  CHECK(batch->window(0).source == Rect{0, 0, 3648, 16});
  CHECK(batch->bytes_held() <= loader.plan().slab_bytes);
}

TEST_CASE("a size that is bad at the start is refused by the loader", "[sizes]") {
  const auto source = synthetic(11, {60, 50});
  const auto with = [&](auto of) {
    auto options = changing();
    options.sizes.size = {"mine", of};
    return refusal(source, options);
  };
  CHECK(with([](const SizeInput&) {
          return ImageSize{0, 5};
        }) ==
        "`sizes.size.of` = 0x5: must be 1x1 to 24x30, the bound by shape (mine, epoch 0, step 0)");
  CHECK_THAT(with([](const SizeInput& in) {
               return ImageSize{in.step == 2 ? 25u : 5u, 5};
             }),
             has_text("25x5: must be 1x1 to 24x30, the bound by shape (mine, epoch 0, step 2)"));
  CHECK_THAT(with([](const SizeInput&) -> ImageSize { throw std::runtime_error("no luck"); }),
             has_text("must be a size; it threw: no luck (mine, epoch 0"));
  CHECK_THAT(with([](const SizeInput&) -> ImageSize { throw 5; }),
             has_text("must be a size (mine"));
  auto own = changing(Sizes::ragged);
  own.sizes.size = {"mine", [](const SizeInput& in) {
                      return in.image.height == 30 ? ImageSize{41, 1} : in.image;
                    }};
  CHECK_THAT(
      refusal(Various({{10, 10}, {30, 30}}), own),
      has_text("`sizes.size.of` = 41x1: must be 1x1 to 40x50, the bound by `sizes.max_height` and "
               "`sizes.max_width` (mine, epoch 0, step 0, sample 1, whose image is 30x30)"));
}

TEST_CASE("a size that is bad in a later epoch is refused by the stream", "[sizes]") {
  const Various source(drawn_sizes(9, 30));
  const int kind = GENERATE(0, 1, 2);
  auto options = kind == 0 ? changing() : changing(kind == 1 ? Sizes::padded : Sizes::ragged);
  options.sizes.size = {"mine", [](const SizeInput& in) {
                          return ImageSize{9, in.epoch == 40 ? 51u : 9u};
                        }};
  Loader loader(source, options);
  CHECK_NOTHROW(loader.stream({.epochs = 40}));
  CHECK_THROWS_WITH(loader.stream({.epochs = 41}),
                    has_text("`sizes.size.of` = 9x51: must be 1x1 to "));
  CHECK_THROWS_WITH(loader.stream({.first_epoch = 40, .epochs = 42}), has_text("(mine, epoch 40"));
}

TEST_CASE("a size that is bad later ends the stream before its batch", "[sizes]") {
  const auto source = synthetic(11, {60, 50});
  const int kind = GENERATE(0, 1, 2);
  CAPTURE(kind);
  auto options = kind == 0 ? changing() : changing(kind == 1 ? Sizes::padded : Sizes::ragged);
  options.faults.policy = OnFault::skip;
  options.sizes.size = {"mine", [](const SizeInput& in) {
                          if (in.epoch == 2 && in.step == 1) throw std::runtime_error("no luck");
                          return ImageSize{9, 9};
                        }};
  Loader loader(source, options);
  auto stream = loader.stream({.epochs = 4});
  std::uint64_t batches = 0;
  try {
    while (const auto batch = stream.next()) ++batches;
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.code() == Errc::bad_options);
    CHECK_THAT(error.what(), has_text("it threw: no luck (mine, epoch 2, step 1"));
  }
  CHECK(batches == 7);
}

TEST_CASE("options that do not go with a size function are refused", "[sizes]") {
  const auto source = synthetic(5, {60, 50});
  const auto refused = [&](auto change, const char* text) {
    auto options = changing();
    change(options);
    CHECK_THAT(refusal(source, options), has_text(text));
  };
  refused([](Options& o) { o.sizes.size.name = ""; }, "`sizes.size.name` = '': must be 1 to 64");
  refused([](Options& o) { o.sizes.size.of = {}; }, "`sizes.size.name` without `sizes.size.of`");
  refused([](Options& o) { o.sizes.mode = Sizes::padded; },
          "`sizes.max_height` and `sizes.max_width`");
  refused([](Options& o) { o.decode = Decode::none; }, "is for decoded images");
  refused(
      [](Options& o) {
        o.fit = Fit::patch;
        o.patch.padding = 10;
        o.sizes.size.of = [](const SizeInput&) { return ImageSize{24, 10}; };
      },
      "`sizes.size.of` = 24x10: must be 11x11 to 24x30, the bound by shape");
  refused([](Options& o) { o.cache = {.keep = Cache::decoded, .max_bytes = 1u << 20}; },
          "`sizes.size.of` may give another size each epoch");
  refused(
      [](Options& o) {
        o.planes = {{.name = "drawn", .scale = {1, 8}, .made = true}};
        o.transform.apply = [](DecodedSample&) {};
        o.shape = {24, 32};
        o.sizes.size.of = [](const SizeInput&) { return ImageSize{16, 20}; };
      },
      "`sizes.size.of` = 16x20: the sides must be multiples of 8, the grid of the planes' scales");
}

TEST_CASE("a transform of whole images fills a row of a given size", "[sizes]") {
  const Various source(drawn_sizes(9, 60));
  const int kind = GENERATE(0, 1, 2);
  auto options = kind == 0 ? changing() : changing(kind == 1 ? Sizes::padded : Sizes::ragged);
  if (kind > 0)
    options.sizes.size = {"less", [](const SizeInput& in) {
                            return ImageSize{1 + in.image.height / 2, 1 + in.image.width / 3};
                          }};
  options.fill = {9, 9, 9};
  options.transform.apply = [&](DecodedSample& sample) {
    if (sample.image.shape != source.size_of(sample.index)) throw std::logic_error("not whole");
    // All but the last line.
    for (std::uint32_t y = 0; y + 1 < sample.row.shape.height; ++y)
      std::fill_n(sample.row.data + y * sample.row.row_stride, sample.row.shape.width * 3,
                  std::uint8_t{77});
  };
  Loader loader(source, options);
  std::uint64_t rows = 0;
  for (auto& batch : loader.stream({.epochs = 3}))
    for (std::uint32_t i = 0; i < batch.size(); ++i, ++rows) {
      const auto image = batch.image(i);
      const auto whole = source.size_of(batch.indices()[i]);
      CHECK(image.shape == (kind == 0 ? steps[batch.epoch()]
                                      : ImageSize{1 + whole.height / 2, 1 + whole.width / 3}));
      auto expected = std::vector<std::uint8_t>(image_bytes(image.shape, image.format), 77);
      std::fill_n(expected.end() - image.shape.width * 3, image.shape.width * 3, std::uint8_t{9});
      CHECK(values(image) == expected);
    }
  CHECK(rows == 27);
}

TEST_CASE("a window of one's own is told the size of its row", "[sizes]") {
  const auto source = synthetic(7, {60, 50});
  auto options = changing();
  options.window = {.choose =
                        [](const WindowInput& in, Random&) {
                          if (in.row != steps[in.epoch]) throw std::logic_error("another row");
                          return Window{.source = {0, 0, 30, 30}};
                        },
                    .name = "corner"};
  CHECK(rows_of(source, options).size() == 21);
}

TEST_CASE("a sample that replaces another fits in its row", "[sizes]") {
  const Various source(drawn_sizes(12, 60), {}, {3, 7});
  auto options = changing(GENERATE(Sizes::padded, Sizes::ragged));
  options.faults.policy = OnFault::skip;
  options.sizes.size = {"half", [](const SizeInput& in) {
                          if (in.image.height == 0) throw std::logic_error("no size");
                          return ImageSize{1 + in.image.height / 2, 1 + in.image.width / 2};
                        }};
  options.sizes.index = measure_sizes(source, options);
  Loader loader(source, options);
  std::uint64_t replaced = 0;
  for (auto& batch : loader.stream({.epochs = 2}))
    for (std::uint32_t i = 0; i < batch.size(); ++i)
      if (batch.statuses()[i] == RowStatus::replaced) {
        ++replaced;
        CHECK(batch.image(i).shape.height > 0);
      }
  CHECK(replaced == 4);
}

TEST_CASE("a function that changes its answer is refused by the loader", "[sizes]") {
  const auto source = synthetic(20, {60, 50});
  const int kind = GENERATE(0, 1, 2);
  auto options = kind == 0 ? changing() : changing(kind == 1 ? Sizes::padded : Sizes::ragged);
  const auto calls = std::make_shared<std::uint32_t>(0);
  options.sizes.size = {"counts", [=](const SizeInput&) {
                          const auto n = (*calls)++;
                          return ImageSize{1 + n % 24, 1 + n % 30};
                        }};
  CHECK_THAT(refusal(source, options),
             has_text(kind == 0 ? "`sizes.size.of` = 2x2: must stay the size that it was before, "
                                  "1x1 (counts, epoch 0, step 0)"
                                : ": must stay the size that it was before, 1x1 (counts, epoch 0"));
}

TEST_CASE("a size that the trainer changes ends the stream", "[sizes]") {
  const auto source = synthetic(20, {60, 50});
  const int kind = GENERATE(0, 1, 2);
  auto options = kind == 0 ? changing() : changing(kind == 1 ? Sizes::padded : Sizes::ragged);
  const auto side = std::make_shared<std::atomic<std::uint32_t>>(8);
  options.sizes.size = {"mine", [=](const SizeInput&) { return ImageSize{*side, *side}; }};
  Loader loader(source, options);
  auto stream = loader.stream({.epochs = 30});
  std::uint64_t batches = 0;
  try {
    while (const auto batch = stream.next()) {
      CHECK(batch->bytes_held() <= loader.plan().slab_bytes);
      if (++batches == 3) *side = 9;
    }
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.code() == Errc::bad_options);
    CHECK_THAT(error.what(), has_text("= 9x9: must stay the size that it was before, 8x8 (mine"));
  }
  CHECK(batches < 40);
}

TEST_CASE("one cache and the same slabs serve all sizes", "[sizes]") {
  const auto source = synthetic(10, {90, 110});
  auto options = changing();
  options.cache = {.keep = Cache::encoded, .max_bytes = 1u << 20};
  options.queue.max_leases = 2;
  options.workers = 1;  // no sample is drawn again before it is kept
  options.memory.upstream = std::make_shared<CountingUpstream>();
  const auto slabs = std::static_pointer_cast<CountingUpstream>(options.memory.upstream);
  auto plain = options;
  plain.sizes.size = {};
  plain.memory.upstream = nullptr;
  Loader loader(source, options);
  CHECK(loader.plan().slab_bytes == resolve(plain, 0).slab_bytes);
  for (auto& batch : loader.stream({.epochs = 6}))
    CHECK(batch.pixels().shape == steps[batch.epoch() % 3]);
  const auto report = loader.report();
  CHECK(report.cache.misses == 10);
  CHECK(report.cache.hits == 50);
  CHECK(loader.snapshot().memory.peak <= loader.plan().ceiling_bytes);
  // The segments of the cache are few beside them.
  CHECK(slabs->allocations() <= loader.plan().slabs + 10);
}

TEST_CASE("with requests the step is the number of the request", "[sizes]") {
  const auto source = synthetic(9, {60, 50});
  const int kind = GENERATE(0, 1, 2);
  auto options = kind == 0 ? changing() : changing(kind == 1 ? Sizes::padded : Sizes::ragged);
  if (kind == 1) options.sizes.multiple_of = 2;
  options.sizes.size = {"by request", [](const SizeInput& in) {
                          const auto side = 2 + 2 * static_cast<std::uint32_t>(in.step % 10);
                          return ImageSize{side, side + 2};
                        }};
  Loader loader(source, options);
  auto requests = loader.requests({.max_outstanding = 2});
  for (std::uint32_t n = 0; n < 15; ++n) {
    requests.ask(std::array<std::uint64_t, 3>{n % 9, 0, 5});
    const auto batch = requests.next();
    REQUIRE(batch);
    const auto side = 2 + 2 * (n % 10);
    CHECK(batch->image(0).shape == ImageSize{side, side + 2});
  }
}

TEST_CASE("a resumed stream has the sizes of the one that was stopped", "[sizes]") {
  const auto source = synthetic(22, {40, 40});
  auto options = changing();
  options.sizes.size = {"by step", [](const SizeInput& in) {
                          const auto side = static_cast<std::uint32_t>(4 + 2 * in.step + in.epoch);
                          return ImageSize{side, side};
                        }};
  const auto sizes = [](Stream stream, std::uint64_t most = UINT64_MAX) {
    std::vector<ImageSize> all;
    while (auto batch = all.size() < most ? stream.next() : std::nullopt)
      all.push_back(batch->pixels().shape);
    return all;
  };
  Loader loader(source, options);
  const auto whole = sizes(loader.stream({.epochs = 3}));
  REQUIRE(whole.size() == 18);
  CHECK(whole[7] == ImageSize{7, 7});
  for (std::uint64_t stop = 1; stop < 18; ++stop) {
    auto seen = sizes(loader.stream({.epochs = 3}), stop);
    const auto rest = sizes(loader.stream({.resume = loader.progress_after(stop), .epochs = 3}));
    seen.insert(seen.end(), rest.begin(), rest.end());
    CHECK(seen == whole);
  }
}

TEST_CASE("all ranks have the same size at the same step", "[sizes]") {
  const auto source = synthetic(13, {40, 40});
  std::vector<std::vector<ImageSize>> sizes;
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    auto options = changing();
    options.batch = 2;
    options.ranks = Ranks::given(rank, 3);
    options.sizes.size = {"by step", [](const SizeInput& in) {
                            const auto side =
                                static_cast<std::uint32_t>(4 + 3 * in.step + in.epoch);
                            return ImageSize{side, side};
                          }};
    auto& all = sizes.emplace_back();
    Loader loader(source, options);
    // The last step has one sample; two ranks have a padding row.
    for (auto& batch : loader.stream({.epochs = 2})) all.push_back(batch.pixels().shape);
    CHECK(all.size() == 6);
    CHECK(all == sizes[0]);
  }
}

TEST_CASE("measured bytes are enough for every size", "[sizes]") {
  const Various source(drawn_sizes(9, 300));
  const int kind = GENERATE(0, 1, 2);
  auto options = kind == 0 ? changing() : changing(kind == 1 ? Sizes::padded : Sizes::ragged);
  options.filter = GENERATE(Filter::bilinear, Filter::antialiased);
  options.sizes.size = {"any", [](const SizeInput& in) {
                          const auto key = in.epoch * 7919 + in.step * 31 + in.index;
                          return ImageSize{1 + static_cast<std::uint32_t>(key % 24),
                                           1 + static_cast<std::uint32_t>(key / 24 % 30)};
                        }};
  options.memory.max_sample_bytes = ByteBound::measured;
  CHECK(rows_of(source, options, {.epochs = 40}).size() == 360);
}
