// Batches of images at their own sizes, as a consumer receives them.
#include <algorithm>
#include <numeric>

#include "contract/laws/various.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/skip.hpp"
#include "support/slab_bytes.hpp"
#include "weir/convert.hpp"

using namespace weir;
using namespace weir::test;

namespace {

const std::vector<ImageSize> four{{10, 20}, {30, 4}, {5, 5}, {17, 9}};

std::optional<Batch> first_batch(Loader& loader) {
  auto stream = loader.stream();
  return stream.next();
}

/// Knows what other sources learn by reading.
struct Telling : Various {
  using Various::Various;
  std::optional<ImageSize> image_size(std::uint64_t i) const { return size_of(i); }
  std::optional<std::uint64_t> encoded_bytes(std::uint64_t i) const { return encoded_size(i); }
};

}  // namespace

TEST_CASE("a padded batch has its largest sides and zeros around images", "[sizes]") {
  const Various source(four);
  auto options = own_size_options(0);
  options.annotation_bytes = 3;
  Loader loader(source, options);
  const auto batch = first_batch(loader);
  REQUIRE(batch);
  CHECK(std::ranges::equal(batch->sizes(), four));
  CHECK_FALSE(batch->ragged());
  const auto block = batch->pixels();
  CHECK(block.shape == ImageSize{30, 20});
  CHECK(block.pixels.size() == 4 * 30 * 20 * 3);
  CHECK(batch->slice(2, 1).pixels.data() == batch->image(2).data);
  const double images = 200 + 120 + 25 + 153;
  CHECK(batch->padding() == 1 - images / (4 * 600));
  std::uint64_t sum = 0;
  for (const auto value : block.pixels) sum += value;
  for (std::uint32_t row = 0; row < 4; ++row) {
    CHECK(wrong_pixels(*batch, row, source) == "");
    const auto image = batch->image(row);
    CHECK(image.row_stride == 60);
    CHECK(batch->offsets()[row] == row * 1800u);
    CHECK(batch->annotation(row).empty());
    for (std::uint32_t y = 0; y < image.shape.height; ++y)
      sum -= std::accumulate(image.data + y * 60, image.data + y * 60 + image.shape.width * 3, 0u);
  }
  CHECK(sum == 0);  // only zeros beside the images
  CHECK_THROWS_WITH(batch->image(4), has_text("Batch::image(i = 4)"));
  const auto report = loader.report();
  CHECK(report.sizes.images == 4);
  CHECK(report.sizes.padding() == batch->padding());
  CHECK(report.plan.sizes.padding == batch->padding());
  CHECK(batch->bytes_held() == report.plan.sizes.typical_slab_bytes);
}

TEST_CASE("the sides of a padded batch are multiples of what is asked", "[sizes]") {
  const Various source(four);
  auto options = own_size_options(0);
  options.sizes.multiple_of = 12;
  Loader loader(source, options);
  const auto batch = first_batch(loader);
  REQUIRE(batch);
  CHECK(batch->pixels().shape == ImageSize{36, 24});
  for (std::uint32_t row = 0; row < 4; ++row) CHECK(wrong_pixels(*batch, row, source) == "");
  CHECK(batch->bytes_held() == loader.plan().sizes.typical_slab_bytes);
  CHECK(batch->bytes_held() <= loader.plan().slab_bytes);
  options.sizes.mode = Sizes::ragged;
  CHECK_THROWS_WITH(Loader(source, options),
                    has_text("`sizes.multiple_of` = 12: is for `sizes.mode` = padded"));
  options.sizes.multiple_of = 0;
  CHECK_THROWS_WITH(Loader(source, options),
                    has_text("`sizes.multiple_of` = 0: must be 1 to 4096"));
}

TEST_CASE("a ragged batch is its images one behind the other", "[sizes]") {
  const Various source(four);
  Loader loader(source, own_size_options(1));
  const auto batch = first_batch(loader);
  REQUIRE(batch);
  CHECK(std::ranges::equal(batch->sizes(), four));
  CHECK(batch->ragged());
  CHECK(batch->padding() == 0);
  std::uint64_t offset = 0;
  for (std::uint32_t row = 0; row < 4; ++row) {
    CHECK(batch->offsets()[row] == offset);
    CHECK(batch->image(row).data == batch->pixel_bytes().data() + offset);
    CHECK(batch->image(row).row_stride == four[row].width * 3);
    CHECK(wrong_pixels(*batch, row, source) == "");
    offset += image_bytes(four[row], PixelFormat::rgb8);
  }
  CHECK(batch->pixel_bytes().size() == offset);
  CHECK_THROWS_WITH(batch->pixels(), has_text("`sizes.mode` = ragged"));
  CHECK_THROWS_WITH(batch->slice(0, 1),
                    has_text("use Batch::image(i), or pixel_bytes() with offsets"));
  std::vector<float> floats(batch->pixel_bytes().size());
  CHECK_THROWS_WITH(Converter<float>()(*batch, floats), has_text("use Batch::image(i)"));
}

TEST_CASE("with images of one shape there are no sizes to ask for", "[sizes]") {
  Loader loader(Various(four), small_options());
  const auto batch = first_batch(loader);
  REQUIRE(batch);
  CHECK(batch->sizes().empty());
  CHECK_FALSE(batch->ragged());
  CHECK(batch->offsets().empty());
  CHECK(batch->padding() == 0);
  CHECK(batch->pixel_bytes().data() == batch->pixels().pixels.data());
  CHECK(batch->bytes_held() == slab_bytes({16, 16}, 4, 64));
}

TEST_CASE("images above the bound are scaled down with the aspect kept", "[sizes]") {
  const int kind = GENERATE(0, 1, 2);
  const Various source(drawn_sizes(40, 90));
  auto options = own_size_options(kind);
  options.sizes.max_height = 50;
  options.sizes.max_width = 40;
  Loader loader(source, options);
  std::uint64_t scaled = 0;
  auto stream = loader.stream();
  for (auto& batch : stream)
    for (std::uint32_t row = 0; row < batch.size(); ++row) {
      const auto own = source.size_of(batch.indices()[row]);
      CHECK(batch.sizes()[row] == scaled_within(own, {50, 40}));
      if (batch.sizes()[row] == own)
        CHECK(wrong_pixels(batch, row, source) == "");
      else
        ++scaled;
    }
  CHECK(scaled > 10);
  CHECK(loader.report().fault_count == 0);
}

TEST_CASE("a fault leaves a blank row of its own size, if that is known", "[sizes][faults]") {
  const int kind = GENERATE(0, 1);
  const Various source(drawn_sizes(12, 60), {2, 7}, {3, 8});
  auto options = own_size_options(kind);
  options.faults.policy = OnFault::blank;
  Loader loader(source, options);
  CHECK(loader.plan().sizes.unknown == 2);
  auto stream = loader.stream({.epochs = 2});
  std::uint64_t blank = 0;
  for (auto& batch : stream)
    for (std::uint32_t row = 0; row < batch.size(); ++row) {
      const auto index = batch.indices()[row];
      const bool bad = index == 2 || index == 7, rotten = index == 3 || index == 8;
      REQUIRE((batch.statuses()[row] == RowStatus::blank) == (bad || rotten));
      if (!bad && !rotten) {
        CHECK(wrong_pixels(batch, row, source) == "");
        continue;
      }
      ++blank;
      CHECK(batch.sizes()[row] == (bad ? ImageSize{} : source.size_of(index)));
      const auto image = batch.image(row);
      for (std::uint32_t y = 0; y < image.shape.height; ++y)
        for (std::uint32_t x = 0; x < image.shape.width * 3; ++x)
          REQUIRE(image.data[y * image.row_stride + x] == 0);
    }
  CHECK(blank == 8);
  CHECK(loader.snapshot().samples.conserved());
}

TEST_CASE("a replacement fits the failed row's room and is not enlarged", "[sizes][faults]") {
  const int kind = GENERATE(0, 1, 2);
  std::set<std::uint64_t> bad, rotten;
  for (std::uint64_t i = 0; i < 80; i += 5) bad.insert(i + 1), rotten.insert(i + 3);
  const Various source(drawn_sizes(80, 60), bad, rotten);
  auto options = own_size_options(kind);
  options.faults.policy = OnFault::skip;
  options.order = Order::shuffle();
  Loader loader(source, options);
  auto stream = loader.stream({.epochs = 2});
  std::uint64_t replaced = 0, smaller = 0;
  for (auto& batch : stream)
    for (std::uint32_t row = 0; row < batch.size(); ++row) {
      const auto own = source.size_of(batch.indices()[row]), size = batch.sizes()[row];
      if (batch.statuses()[row] != RowStatus::replaced) {
        CHECK(wrong_pixels(batch, row, source) == "");
        continue;
      }
      ++replaced;
      CHECK(size.height > 0);
      CHECK((size.height <= own.height && size.width <= own.width));
      if (size == own)
        CHECK(wrong_pixels(batch, row, source) == "");
      else
        ++smaller;
    }
  CHECK(replaced == 64);
  CHECK(smaller > 0);
  CHECK(loader.snapshot().samples.conserved());
}

TEST_CASE("under stop a stream ends at a sample whose size is unknown", "[sizes][faults]") {
  Loader loader(Various(drawn_sizes(12, 60), {6}), own_size_options(0));
  auto stream = loader.stream();
  CHECK(stream.next());
  CHECK_THROWS_WITH(stream.next(), has_text("various/6"));
  CHECK_FALSE(stream.next());
}

TEST_CASE("an image unlike its measured size is a fault with both sizes", "[sizes]") {
  const Various source(four);
  auto options = own_size_options(1);
  options.faults.policy = OnFault::blank;
  auto other = four;
  other[1] = {30, 5};
  options.sizes.index = std::make_shared<const SizeIndex>(other);
  Loader loader(source, options);
  const auto batch = first_batch(loader);
  REQUIRE(batch);
  CHECK(batch->statuses()[1] == RowStatus::blank);
  CHECK(std::ranges::count(batch->statuses(), RowStatus::ok) == 3);
  CHECK(loader.report().faults.at(0).reason ==
        "the image is 30x4; when sizes were measured it was 30x5");
  options.sizes.index = std::make_shared<const SizeIndex>(std::vector<ImageSize>(3));
  CHECK_THROWS_WITH(Loader(source, options),
                    has_text("`sizes.index`: of 3 samples, the source has 4"));
}

TEST_CASE("a transform gets the image at its own size, with row lines", "[sizes]") {
  const int kind = GENERATE(0, 1);
  const Various source(drawn_sizes(20, 40));
  auto options = own_size_options(kind);
  options.annotation_bytes = 8;
  options.transform = {.apply =
                           [](DecodedSample& s) {
                             const auto [height, width] = s.row.shape;
                             if (s.image.data != s.row.data || s.image.shape != s.row.shape)
                               throw SampleError(FaultKind::corrupt, "two views");
                             const std::uint32_t sides[] = {height, width};
                             s.annotation.assign(std::span<const std::uint32_t>(sides));
                             for (std::uint32_t y = 0; y < height; ++y)
                               for (std::size_t x = 0; x < s.row.line_bytes(); ++x)
                                 s.row.data[y * s.row.row_stride + x] ^= 0xff;
                           },
                       .input = TransformInput::fitted};
  Loader loader(source, options);
  auto stream = loader.stream();
  for (auto& batch : stream)
    for (std::uint32_t row = 0; row < batch.size(); ++row) {
      const auto sides = batch.annotations<std::uint32_t>(row);
      const ImageSize told{sides[0], sides[1]};
      CHECK(told == batch.sizes()[row]);
      const auto image = batch.image(row);
      const auto* const last =
          image.data + (told.height - 1) * image.row_stride + (told.width - 1) * 3;
      CHECK(last[0] == static_cast<std::uint8_t>(~(told.height - 1)));
      CHECK(last[1] == static_cast<std::uint8_t>(~(told.width - 1)));
    }
  CHECK(loader.report().fault_count == 0);
}

TEST_CASE("sizes come from the source or from one read of each sample", "[sizes]") {
  const Various source(drawn_sizes(50, 30), {9});
  Options options = own_size_options(0);
  const auto ledger = options.memory.ledger = std::make_shared<MemoryLedger>(1 << 20);
  const auto sizes = measure_sizes(source, options);
  CHECK(source.reads() == 50);
  REQUIRE(sizes->size() == 50);
  for (std::uint64_t i = 0; i < 50; ++i)
    CHECK((*sizes)[i] == (i == 9 ? ImageSize{} : source.size_of(i)));
  CHECK(ledger->snapshot().live == 0);
  CHECK(ledger->snapshot().peak > 0);

  const Telling telling(drawn_sizes(50, 30));
  CHECK((*measure_sizes(telling))[7] == telling.size_of(7));
  CHECK(telling.reads() == 0);
  // A synthetic source knows its sizes.
  const auto painted = synthetic(20, {40, 50}, 3);
  options = own_size_options(1);
  options.sizes.index = measure_sizes(painted);
  Loader loader(painted, options);
  CHECK(drain(loader).indices.size() == 20);
  CHECK(loader.report().fault_count == 0);
}

TEST_CASE("a source and reads give the same sizes if samples fail", "[sizes]") {
  const Telling telling(drawn_sizes(50, 30));
  Options by_side = own_size_options(0), by_pixels = by_side, by_bytes = by_side,
          encoded = own_size_options(1);
  by_side.limits.max_side = 20;
  by_pixels.limits.max_pixels = 300;
  by_bytes.limits.max_encoded_bytes = encoded.limits.max_encoded_bytes = telling.encoded_size(25);
  encoded.decode = Decode::none;
  encoded.faults.policy = OnFault::blank;
  for (const auto& options : {by_side, by_pixels, by_bytes, encoded}) {
    const auto read = measure_sizes(Various(drawn_sizes(50, 30)), options),
               known = measure_sizes(telling, options);
    std::size_t without = 0;
    for (std::uint64_t i = 0; i < 50; ++i) {
      CHECK((*known)[i] == (*read)[i]);
      if ((*known)[i] == ImageSize{}) ++without;
    }
    CHECK(without > 0);
    CHECK(without < 50);
  }
  CHECK(telling.reads() == 0);
}

TEST_CASE("measuring reads stay within the budget, one by one if needed", "[sizes]") {
  const Various source(drawn_sizes(60, 50));
  std::uint64_t largest = 0;
  for (std::uint64_t i = 0; i < 60; ++i) largest = std::max(largest, source.encoded_size(i));
  Options options = own_size_options(0);
  options.workers = 8;
  constexpr std::uint64_t table = 60 * sizeof(ImageSize);
  for (const auto room : {largest, largest + 200, 3 * largest}) {
    options.memory.budget_bytes = table + room;
    const auto sizes = measure_sizes(source, options);
    for (std::uint64_t i = 0; i < 60; ++i) REQUIRE((*sizes)[i] == source.size_of(i));
  }
  options.memory.budget_bytes = table + largest - 1;
  CHECK_THROWS_WITH(measure_sizes(source, options), has_text("to learn its size"));
  CHECK_THROWS_WITH(Loader(source, options), has_text("memory.budget_bytes"));
}

TEST_CASE("the sizes of all samples are charged before the first read", "[sizes]") {
  const Various source(drawn_sizes(50, 30));
  constexpr std::uint64_t table = 50 * sizeof(ImageSize);
  Options options = own_size_options(0);
  const auto ledger = options.memory.ledger = std::make_shared<MemoryLedger>(table - 1);
  CHECK_THROWS_WITH(measure_sizes(source, options),
                    has_text("`memory.ledger->budget()`: no room for the 400 bytes of the sizes of "
                             "50 samples; 0 of 399"));
  CHECK(source.reads() == 0);
  CHECK(ledger->snapshot().live == 0);
  // A source that knows its sizes needs no more.
  const auto painted = synthetic(50, {40, 50}, 3);
  options.memory.ledger = std::make_shared<MemoryLedger>(table);
  CHECK(measure_sizes(painted, options)->bytes() == table);
  CHECK(options.memory.ledger->snapshot().peak == table);
}

TEST_CASE("a lease keeps its images when stream and loader are gone", "[sizes]") {
  const int kind = GENERATE(0, 1, 2);
  const Various source(drawn_sizes(30, 60));
  auto upstream = std::make_shared<CountingUpstream>();
  auto options = own_size_options(kind);
  options.memory.upstream = upstream;
  options.queue.max_leases = 3;
  std::vector<Batch> kept;
  {
    Loader loader(source, options);
    auto stream = loader.stream();
    for (int i = 0; i < 3; ++i) kept.push_back(*stream.next());
  }
  std::uint64_t held = 0;
  for (const auto& batch : kept) held += batch.bytes_held();
  CHECK(upstream->outstanding() == held);
  std::swap(kept[0], kept[1]);
  while (!kept.empty()) {
    for (std::uint32_t row = 0; row < kept.back().size(); ++row)
      CHECK(wrong_pixels(kept.back(), row, source) == "");
    held -= kept.back().bytes_held();
    kept.pop_back();
    CHECK(upstream->outstanding() == held);
  }
}

TEST_CASE("a queue bounded by bytes holds just the bytes of its images", "[sizes]") {
  // One image is 30 times as large as the others.
  std::vector<ImageSize> sizes(40, {40, 50});
  sizes[20] = {300, 200};
  const Various source(sizes);
  auto upstream = std::make_shared<CountingUpstream>();
  auto options = own_size_options(1);
  options.batch = 1;
  options.queue = {.max_queue_size = 32, .max_leases = 1, .max_bytes = 40'000};
  options.memory.upstream = upstream;
  Loader loader(source, options);
  const auto small = loader.plan().sizes.least_slab_bytes;
  CHECK(loader.plan().slab_bytes > 25 * small);
  auto stream = loader.stream();
  std::uint64_t n = 0;
  for (auto& batch : stream) {
    stream.settle();
    const auto now = loader.snapshot();
    const auto ahead = now.memory[Account::filling] + now.memory[Account::ready];
    CHECK((ahead <= 40'000 || now.ready == 1));
    if (n < 10) {
      CHECK(now.ready == 40'000 / small);  // as many as the byte limit allows
      CHECK(staging(now.memory) <= 40'000 + 2 * small);
    }
    const auto bytes = image_bytes(source.size_of(n), PixelFormat::rgb8);
    CHECK(batch.bytes_held() >= bytes);
    CHECK(batch.bytes_held() <= (bytes + 512) * 9 / 8);
    CHECK(wrong_pixels(batch, 0, source) == "");
    ++n;
  }
  CHECK(n == 40);
  CHECK(upstream->peak() <= loader.plan().slab_bytes + 40'000 + 3 * small);
}

TEST_CASE("real photos at full size load singly and in padded batches", "[sizes][data]") {
  const auto folder = test_data("photos");
  if (!folder) {
    skip("WEIR_TEST_DATA has no photos");
    return;
  }
  FolderOptions jpegs;
  jpegs.extensions = {".jpg"};
  const auto source = image_folder(folder->string(), jpegs);
  auto options = own_size_options(1);
  options.faults.policy = OnFault::blank;
  options.sizes.index = measure_sizes(source, options);
  options.batch = 1;
  options.queue = {.max_queue_size = 16, .max_leases = 1, .max_bytes = 4 << 20};
  std::uint64_t images = 0, bytes = 0;
  {
    Loader loader(source, options);
    auto stream = loader.stream();
    while (images < 60) {
      const auto batch = stream.next();
      if (!batch) break;
      CHECK(batch->sizes()[0] == (*options.sizes.index)[batch->indices()[0]]);
      bytes += batch->pixel_bytes().size();
      ++images;
    }
    CHECK(loader.report().sizes.image_bytes >= bytes);
    CHECK(loader.snapshot().samples.conserved());
  }
  CHECK(images == 60);
  CHECK(bytes / images > 200'000);  // about half a megapixel each

  options.sizes.mode = Sizes::padded;
  options.sizes.bucket_batches = 20;
  options.batch = 10;
  options.queue = {};
  options.order = Order::shuffle();
  const auto plan = resolve(options, source.index_bytes());
  CHECK(plan.sizes.padding < 0.6 * plan.sizes.padding_without_buckets);
}
