#include <cstring>
#include <filesystem>
#include <set>

#include "contract/laws/fixture.hpp"
#include "support/catch.hpp"
#include "support/slab_bytes.hpp"
#include "support/temporary_folder.hpp"
#include "support/text.hpp"
#include "unit/codec/encoders.hpp"

using namespace weir;
using namespace weir::test;

namespace {

using codec::test::encode_png;
using codec::test::pattern;

struct Box {
  float x, y, width, height;
  friend bool operator==(const Box&, const Box&) = default;
};

/// Boxes of sample i: i % 4 of them.
std::vector<Box> boxes_of(std::uint64_t i) {
  std::vector<Box> boxes(i % 4);
  for (std::size_t k = 0; k < boxes.size(); ++k)
    boxes[k] = {static_cast<float>(i), static_cast<float>(k), 1, 2};
  return boxes;
}

/// An image and its boxes, in two parts. Counts how often boxes are read.
class Boxed {
 public:
  explicit Boxed(std::optional<std::uint64_t> most = 3 * sizeof(Box)) : most_(most) {}
  std::uint64_t size() const { return 20; }
  Encoded read(std::uint64_t i, ByteSink& sink) const {
    const auto bytes = sink.take(image_.size());
    std::ranges::copy(image_, bytes.begin());
    Encoded sample{.bytes = bytes, .label = static_cast<std::int64_t>(i)};
    if (!sink.wants_annotation()) return sample;
    ++*read_;
    const auto boxes = boxes_of(i);
    if (boxes.empty()) return sample;
    const auto annotation = sink.take(boxes.size() * sizeof(Box));
    std::memcpy(annotation.data(), boxes.data(), annotation.size());
    sample.annotation = annotation;
    return sample;
  }
  std::string name(std::uint64_t i) const { return "boxed/" + std::to_string(i); }
  std::uint64_t index_bytes() const { return 0; }
  std::optional<std::uint64_t> annotation_bytes() const { return most_; }
  std::uint64_t times_read() const { return *read_; }

 private:
  std::optional<std::uint64_t> most_;
  std::vector<std::byte> image_ = encode_png(20, 20, pattern(20, 20).values, {});
  std::shared_ptr<std::atomic<std::uint64_t>> read_ =
      std::make_shared<std::atomic<std::uint64_t>>(0);
};

Options boxed_options() {
  auto options = small_options();
  options.annotation_bytes = ByteBound::measured;
  options.batch = 8;  // the last batch is short
  return options;
}

void check_boxes(const Batch& batch) {
  for (std::uint32_t i = 0; i < batch.size(); ++i) {
    const auto boxes = batch.annotations<Box>(i);
    REQUIRE(std::vector<Box>(boxes.begin(), boxes.end()) == boxes_of(batch.indices()[i]));
    CHECK(batch.annotation_lengths()[i] == boxes.size_bytes());
  }
}

}  // namespace

TEST_CASE("annotations of any length follow their samples", "[annotations]") {
  auto options = boxed_options();
  options.order = Order::shuffle();
  options.io.read_ahead = GENERATE(0u, 5u);
  const auto keep = GENERATE(Cache::nothing, Cache::encoded, Cache::decoded);
  options.cache = {.keep = keep};
  if (keep != Cache::nothing) options.cache.max_bytes = 1u << 20;
  options.sizes.mode = GENERATE(Sizes::fixed, Sizes::padded, Sizes::ragged);
  const Boxed source;
  Loader loader(source, options);
  CHECK(loader.plan().annotation_bytes == 3 * sizeof(Box));
  for (auto& batch : loader.stream({.epochs = 3})) check_boxes(batch);
  CHECK(loader.report().fault_count == 0);
}

TEST_CASE("rows of encoded samples have annotations", "[annotations]") {
  auto options = boxed_options();
  options.shape = {224, 224};
  options.decode = Decode::none;
  Loader loader(Boxed(), options);
  for (auto& batch : loader.stream()) check_boxes(batch);
}

TEST_CASE("zeros follow an annotation in any slab", "[annotations]") {
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
  auto options = boxed_options();
  options.memory.upstream = std::make_shared<Filthy>();
  options.faults.policy = OnFault::blank;
  options.transform = {.apply =
                           [](DecodedSample& sample) {
                             if (sample.index == 7) throw std::runtime_error("no");
                           },
                       .input = TransformInput::fitted};
  Loader loader(Boxed(), options);
  for (auto& batch : loader.stream({.epochs = 2}))
    for (std::uint32_t i = 0; i < batch.size(); ++i) {
      const auto annotation = batch.annotation(i);
      if (batch.statuses()[i] == RowStatus::blank) CHECK(annotation.empty());
      for (auto* at = annotation.data() + annotation.size();
           at < annotation.data() + 3 * sizeof(Box); ++at)
        REQUIRE(*at == std::byte{0});
    }
}

TEST_CASE("annotations that nobody wants are neither read nor faults", "[annotations]") {
  auto options = boxed_options();
  options.annotation_bytes = 0;
  const Boxed source;
  Loader loader(source, options);
  for (auto& batch : loader.stream({.epochs = 1})) {
    CHECK(batch.annotation(0).empty());
    CHECK(batch.annotation_lengths().empty());
    CHECK(batch.annotation_block().empty());
    CHECK(batch.bytes_held() == slab_bytes(options.shape, 8, 64));
  }
  CHECK(source.times_read() == 0);
  CHECK(loader.report().fault_count == 0);
}

TEST_CASE("a store with samples of loaders without annotations has them", "[annotations]") {
  const AnySource source = Boxed();
  auto options = boxed_options();
  options.memory.ledger = std::make_shared<MemoryLedger>(32u << 20);
  options.memory.max_sample_bytes = 1 << 20;
  options.cache = {.keep = Cache::encoded,
                   .shared = std::make_shared<CacheStore>(options.memory.ledger, 1u << 20)};
  auto without = options;
  without.annotation_bytes = 0;
  for (const auto& given : {without, options, options}) {
    Loader loader(source, given);
    for (auto& batch : loader.stream())
      if (given.annotation_bytes != 0) check_boxes(batch);
  }
}

TEST_CASE("an annotation beyond its bound is a fault with both numbers", "[annotations]") {
  auto options = boxed_options();
  options.annotation_bytes = 2 * sizeof(Box);
  options.faults.policy = OnFault::blank;
  Loader loader(Boxed(), options);
  CHECK(std::ranges::count(drain(loader).statuses, RowStatus::blank) == 5);
  const auto fault = loader.report().faults.at(0);
  CHECK(fault.kind == FaultKind::limit);
  CHECK(fault.stage == Stage::read);
  CHECK(fault.reason == "the annotation has 48 bytes, annotation_bytes is 32");
  const auto probed = probe(Boxed(), options);
  REQUIRE(probed.faults.size() == 5);
  CHECK(probed.faults[0].reason == fault.reason);
}

TEST_CASE("a source that does not know its longest is refused", "[annotations]") {
  CHECK_THROWS_WITH(
      Loader(Boxed(std::nullopt), boxed_options()),
      has_text("the source does not say how long its annotations are; give a number. A "));
  CHECK_THROWS_WITH(probe(Boxed(std::nullopt), boxed_options()), has_text("does not say"));
  CHECK_THROWS_WITH(resolve(boxed_options(), 0), has_text("give a number here"));
  auto options = boxed_options();
  options.annotation_bytes = std::uint64_t{1} << 33;
  CHECK_THROWS_WITH(resolve(options, 0), has_text("must be 0 to 4294967295"));
}

TEST_CASE("typed access checks size and alignment", "[annotations]") {
  auto options = boxed_options();
  options.batch = 20;
  options.annotation_bytes = 50;
  Loader loader(Boxed(), options);
  const auto batch = *loader.stream().next();
  CHECK_THROWS_WITH(batch.annotations<Box>(1), has_text("must be a multiple of 4"));
  struct Five {
    char bytes[5];
  };
  CHECK_THROWS_WITH(batch.annotations<Five>(1),
                    has_text("of 16 bytes is no whole number of elements of 5 bytes"));
  CHECK(batch.annotations<std::uint16_t>(1).size() == 8);
  CHECK_THROWS_WITH(batch.annotation(20), has_text("Batch::annotation(i = 20"));
  CHECK_THROWS_WITH(batch.annotation_block(),
                    has_text("row 1 has 16 bytes, annotation_bytes is 50"));
}

TEST_CASE("annotations of one length are a block", "[annotations]") {
  auto options = small_options();
  options.batch = 20;
  options.annotation_bytes = ByteBound::measured;
  std::vector<std::vector<double>> seconds(20);
  for (std::size_t i = 0; i < 20; ++i) seconds[i] = {double(i), 0.5};
  seconds[3].clear();
  Loader loader(with_annotations(synthetic(20, {20, 20}), seconds), options);
  const auto batch = *loader.stream().next();
  const auto block = batch.annotation_block();
  REQUIRE(block.size() == 20 * 16);
  double values[40];
  std::memcpy(values, block.data(), sizeof values);
  CHECK(values[2 * 7] == 7);
  CHECK(values[2 * 7 + 1] == 0.5);
  CHECK(values[2 * 3 + 1] == 0);
}

TEST_CASE("a transform rewrites and resizes an annotation", "[annotations]") {
  auto options = boxed_options();
  std::vector<std::byte> large(100);
  options.transform = {.apply =
                           [&](DecodedSample& sample) {
                             const auto boxes = sample.annotation.as<Box>();
                             if (boxes.size() != sample.index % 4) throw std::logic_error("lost");
                             std::vector<Box> kept;
                             for (auto& box : boxes)
                               if (box.y != 1) kept.push_back({box.x, box.y, 5, 6});
                             sample.annotation.assign(std::span<const Box>(kept));
                             if (sample.index == 9) sample.annotation.resize(100);
                             if (sample.index == 10) sample.annotation = {large, large.size()};
                           },
                       .input = TransformInput::fitted};
  options.faults.policy = OnFault::blank;
  Loader loader(Boxed(), options);
  for (auto& batch : loader.stream({.epochs = 1}))
    for (std::uint32_t i = 0; i < batch.size(); ++i) {
      const auto index = batch.indices()[i];
      if (index == 9 || index == 10) continue;
      const auto boxes = batch.annotations<Box>(i);
      const std::size_t expected[] = {0, 1, 1, 2};
      REQUIRE(boxes.size() == expected[index % 4]);
      for (const auto& box : boxes) CHECK(box.width == 5);
    }
  const auto faults = loader.report().faults;
  REQUIRE(faults.size() == 2);
  for (const auto& fault : faults) {
    CHECK(fault.kind == FaultKind::limit);
    CHECK(fault.reason == "an annotation of 100 bytes; annotation_bytes is 48");
  }
}

TEST_CASE("a window function sees the annotation", "[annotations][windows]") {
  auto options = boxed_options();
  options.window = {.choose =
                        [](const WindowInput& in, Random&) {
                          const auto boxes = in.annotations<Box>();
                          if (boxes.empty()) return Window{.source = {0, 0, 20, 20}};
                          return Window{.source = {0, 0, boxes[0].x + 1.0, boxes.back().y + 1.0}};
                        },
                    .name = "around the first box"};
  Loader loader(Boxed(), options);
  for (auto& batch : loader.stream({.epochs = 1}))
    for (std::uint32_t i = 0; i < batch.size(); ++i) {
      const auto index = batch.indices()[i];
      if (index % 4 == 0) continue;
      CHECK(batch.window(i).source.width == static_cast<double>(index) + 1);
      CHECK(batch.window(i).source.height == static_cast<double>(index % 4));
    }
  CHECK(loader.report().fault_count == 0);
}

TEST_CASE("label files of the images' stems are annotations", "[annotations]") {
  const TemporaryFolder folder;
  const auto image = encode_png(20, 20, pattern(20, 20).values, {});
  const std::string file(reinterpret_cast<const char*>(image.data()), image.size());
  for (const auto* name : {"images/a/1.png", "images/a/2.png", "images/b/3.png"})
    folder.write(name, file);
  folder.write("labels/a/1.txt", "0 0.5 0.5 1 1\n");
  folder.write("labels/b/3.txt", "");
  const auto images = [&] { return image_folder((folder.path() / "images").string()); };
  const auto labels = (folder.path() / "labels").string();
  CHECK_THROWS_WITH(with_annotations(images(), labels, ".txt"),
                    has_text("a/2.txt") && has_text("MissingPlane::absent"));
  CHECK_THROWS_WITH(with_annotations(images(), labels, ".json"),
                    has_text("none of 3 samples has a file") && has_text("a/1.json"));
  CHECK_THROWS_WITH(with_annotations(images(), labels, "txt"), has_text("extension = 'txt'"));
  CHECK_THROWS_WITH(with_annotations(images(), labels + "x", ".txt"), has_text("cannot open"));
  const auto skipping = with_annotations(images(), labels, ".txt", MissingPlane::skip);
  CHECK(skipping.size() == 2);
  CHECK(skipping.annotation_bytes() == 14);
  const auto source = with_annotations(images(), labels, ".txt", MissingPlane::absent);
  // Absolute names lead to no file beside the images.
  folder.write("images/a/1.txt", "other");
  const auto at = folder.string() + "/images/";
  const auto listed =
      with_annotations(image_files({at + "a/1.png", at + "b/3.png"}), labels, ".txt");
  CHECK(listed.annotation_bytes() == 14);
  const auto one_class = with_annotations(subset(images(), {2}), labels, ".txt");
  CHECK(one_class.annotation_bytes() == 0);
  // A file that cannot be read needs no room, and is a fault.
  const auto limited =
      with_annotations(images(), labels, ".txt", MissingPlane::absent, {.max_encoded_bytes = 5});
  CHECK(limited.annotation_bytes() == 1);
  MemorySink sink;
  CHECK_THROWS_WITH(limited.read(0, sink),
                    has_text("the file has 14 bytes, `max_encoded_bytes` is 5"));
  auto options = boxed_options();
  options.faults.policy = OnFault::blank;
  Loader loader(source, options);
  std::multiset<std::string> texts;
  for (auto& batch : loader.stream({.epochs = 1}))
    for (std::uint32_t i = 0; i < batch.size(); ++i) texts.emplace(batch.annotation_text(i));
  CHECK(texts == std::multiset<std::string>{"", "", "0 0.5 0.5 1 1\n"});
  // A file that has grown is a fault that names it by its numbers.
  folder.write("labels/a/1.txt", std::string(100, 'x'));
  CHECK(std::ranges::count(drain(loader).statuses, RowStatus::blank) == 1);
  std::filesystem::remove(folder.path() / "labels/a/1.txt");
  CHECK(std::ranges::count(drain(loader).statuses, RowStatus::blank) == 1);
  CHECK_THAT(loader.report().faults.back().reason, has_text("annotation a/1.txt: cannot open"));
}

TEST_CASE("a manifest's column names the files of annotations", "[annotations]") {
  const TemporaryFolder folder;
  const auto image = encode_png(20, 20, pattern(20, 20).values, {});
  const std::string file(reinterpret_cast<const char*>(image.data()), image.size());
  folder.write("1.png", file);
  folder.write("2.png", file);
  folder.write("mask.png", file);
  folder.write("1.json", "{}");
  const auto list = folder.write(
      "list.tsv",
      "path\tlabel\tannotation\tmask\n1.png\t4\t1.json\tmask.png\n2.png\t5\t\tmask.png\n");
  const auto source = manifest(list);
  CHECK(source.planes() == std::vector<std::string>{"mask"});
  CHECK(source.annotation_bytes() == 2);
  CHECK(manifest(list, {.max_encoded_bytes = 1}).annotation_bytes() == 1);
  auto options = boxed_options();
  options.planes = {{.name = "mask", .pixels = PixelFormat::rgb8}};
  Loader loader(source, options);
  const auto batch = *loader.stream().next();
  CHECK(batch.annotation_text(0) == "{}");
  CHECK(batch.annotation_text(1).empty());
  CHECK(batch.plane("mask").statuses()[1] == PlaneStatus::ok);
}

TEST_CASE("there are as many annotations in a table as samples", "[annotations]") {
  CHECK_THROWS_WITH(with_annotations(synthetic(3, {8, 8}), std::vector<std::string>(2)),
                    has_text("`annotations`: 2 annotations and 3 samples"));
  const auto source =
      with_annotations(synthetic(3, {8, 8}), std::vector<std::string>{"a", "", "ccc"});
  CHECK(source.annotation_bytes() == 3);
  MemorySink sink;
  CHECK(source.read(2, sink).annotation.size() == 3);
  CHECK(source.index_bytes() >= synthetic(3, {8, 8}).index_bytes() + 4);
  const auto both = concatenated(
      {source, with_annotations(synthetic(1, {8, 8}), std::vector<std::string>{"ddddd"})});
  CHECK(both.annotation_bytes() == 5);
  // Sources without annotations know that they have none.
  const TemporaryFolder folder;
  const std::vector<std::string> file{folder.write("1.png", "x")};
  CHECK(concatenated({source, synthetic(1, {8, 8}), image_folder(folder.string()), in_memory({}),
                      image_files(file)})
            .annotation_bytes() == 3);
  CHECK(concatenated({source, Boxed(std::nullopt)}).annotation_bytes() == std::nullopt);
  const auto moved =
      with_annotations(synthetic(3, {8, 8}), std::vector<std::string>{"", "a", "ccc"});
  CHECK(moved.fingerprint() != source.fingerprint());
}
