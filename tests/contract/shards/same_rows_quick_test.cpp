#include "contract/shards/same_rows.hpp"
#include "shards/make_index.hpp"
#include "weir/source.hpp"
#include "weir/transform.hpp"

namespace weir::test {
namespace {

Options small() {
  Options options;
  options.shape = {16, 16};
  options.batch = 6;
  options.workers = 1;
  return options;
}

/// 20 made images in two classes.
void write_images(const TemporaryFolder& folder) {
  const auto made = synthetic(20, {40, 60}, 3);
  for (std::uint64_t i = 0; i < made.size(); ++i) {
    MemorySink sink;
    const auto encoded = made.read(i, sink);
    folder.write((i % 2 ? "dog/" : "cat/") + std::to_string(100 + i) + ".jpg", encoded.bytes);
  }
}

}  // namespace

TEST_CASE("shards deliver the same as the folder in every order") {
  const TemporaryFolder images, tars;
  write_images(images);
  const auto folder = image_folder(images.string());
  write_shards(folder, tars, 3);
  compare_with_folder(folder, tar_shards(tars.string()), small());
}

TEST_CASE("shards deliver the same as the folder under every budget") {
  const TemporaryFolder images, tars;
  write_images(images);
  const auto folder = image_folder(images.string());
  write_shards(folder, tars, 3);
  const auto shards = tar_shards(tars.string());
  auto options = small();
  options.memory.max_sample_bytes = 64 << 10;
  options.workers = 2;
  const auto expected = delivered(folder, options);
  const auto floor = Loader(shards, options).plan().floor_bytes;
  for (std::uint64_t more = 0; more <= 64 << 10; more += 13 << 10) {
    options.memory.budget_bytes = floor + more;
    INFO("the floor and " << more << " bytes");
    CHECK(delivered(shards, options) == expected);
  }
  options.memory.budget_bytes = floor - 1;
  CHECK_THROWS_WITH(Loader(shards, options), has_text("index"));
}

TEST_CASE("sizes in an index spare the measurement of own sizes") {
  const TemporaryFolder images, tars;
  write_images(images);
  const auto folder = image_folder(images.string());
  write_shards(folder, tars, 2);
  const auto shards = tar_shards(tars.string());
  auto options = small();
  options.shape = Options().shape;
  options.sizes.mode = Sizes::padded;
  options.sizes.bucket_batches = 2;
  CHECK(delivered(shards, options) == delivered(folder, options));
}

TEST_CASE("a mask in a shard is a plane, with an index or without") {
  const TemporaryFolder images, masks, tars;
  std::string content;
  for (char i = '0'; i < '9'; ++i) {
    const std::string key(1, i), grey(24 * 20, i);
    const auto image = "P6 24 20 255\n" + grey + grey + grey, mask = "P5 24 20 255\n" + grey;
    images.write(key + ".ppm", image);
    masks.write(key + ".pgm", mask);
    content += tar_member(key + ".ppm", image) + tar_member(key + ".cls", "0") +
               tar_member(key + ".seg.pgm", mask);
  }
  tars.write("s.tar", content + tar_end());
  auto options = small();
  options.order = Order::shuffle();
  options.planes = {{.name = "mask"}};
  const auto expected = delivered(
      with_plane(image_folder(images.string()), "mask", image_folder(masks.string())), options);
  const ShardOptions with_mask{.planes = {{"mask", "seg.pgm"}}};
  CHECK(delivered(tar_shards(tars.string(), with_mask), options) == expected);
  const auto opened = shards::open_shards({tars.string()}, {.image = "ppm"});
  shards::write_index((tars / "index.weir").string(), shards::complete_index(opened, {}));
  const auto indexed = tar_shards(tars.string(), with_mask);
  CHECK(indexed.image_size(3) == ImageSize{20, 24});
  CHECK(delivered(indexed, options) == expected);
}

TEST_CASE("a text in a shard is the row's annotation") {
  const TemporaryFolder tars;
  const auto made = synthetic(3, {20, 20});
  std::string content;
  for (std::uint64_t i = 0; i < 3; ++i)
    content += tar_member(std::to_string(i) + ".jpg", read_text(made, i)) +
               tar_member(std::to_string(i) + ".json", "{" + std::to_string(i) + "}");
  tars.write("s.tar", content + tar_end());
  auto options = small();
  options.annotation_bytes = ByteBound::measured;
  Loader loader(tar_shards(tars.string(), {.annotation = "json"}), options);
  auto stream = loader.stream();
  const auto batch = stream.next();
  REQUIRE(batch);
  CHECK(loader.plan().annotation_bytes == 8);
  for (std::uint32_t i = 0; i < 3; ++i)
    CHECK(batch->annotation_text(i) == "{" + std::to_string(i) + "}");
}

TEST_CASE("what an index takes is charged as long as the loader lives") {
  const TemporaryFolder images, tars;
  write_images(images);
  write_shards(image_folder(images.string()), tars, 3);
  const auto shards = tar_shards(tars.string());
  const Loader loader(shards, small());
  CHECK(loader.snapshot().memory[Account::index] >= shards.index_bytes());
  CHECK(shards.index_bytes() > 20 * 48);
}

TEST_CASE("a sample with a wrong checksum is a fault of kind corrupt") {
  const TemporaryFolder images, tars;
  write_images(images);
  const auto folder = image_folder(images.string());
  write_shards(folder, tars, 1);
  auto opened = shards::open_shards({tars.string()}, {});
  auto index = shards::complete_index(opened, {});
  index.samples[7].checksum ^= 1;
  shards::write_index((tars / "index.weir").string(), index);
  auto options = small();
  options.faults.policy = OnFault::blank;
  Loader loader(tar_shards(tars.string(), {.verify = true}), options);
  auto stream = loader.stream();
  while (stream.next()) {
  }
  const auto faults = loader.report().faults;
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].kind == FaultKind::corrupt);
  CHECK(faults[0].index == 7);
  CHECK_THAT(faults[0].name, has_text("s0.tar/cat/"));
  CHECK_THAT(faults[0].reason, has_text("checksum"));
}

}  // namespace weir::test
