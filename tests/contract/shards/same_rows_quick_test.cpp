#include "contract/shards/same_rows.hpp"
#include "shards/make_index.hpp"

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
    RecordingSink sink;
    const auto encoded = made.read(i, sink);
    folder.write((i % 2 ? "dog/" : "cat/") + std::to_string(100 + i) + ".jpg", encoded.bytes);
  }
}

}  // namespace

TEST_CASE("shards deliver what the folder delivers, in every order, with any workers and cache") {
  const TemporaryFolder images, tars;
  write_images(images);
  const auto folder = image_folder(images.string());
  write_shards(folder, tars, 3);
  compare_with_folder(folder, tar_shards(tars.string()), small());
}

TEST_CASE("shards deliver what the folder delivers under every budget from the floor") {
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
  options.shape = {};
  options.sizes.mode = Sizes::padded;
  options.sizes.bucket_batches = 2;
  CHECK(delivered(shards, options) == delivered(folder, options));
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

TEST_CASE("a sample that fails its checksum is a fault of kind corrupt, met by the policy") {
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
