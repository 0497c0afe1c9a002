#include <cmath>
#include <limits>
#include <set>

#include "images.hpp"
#include "png.hpp"
#include "replacing/with_weir.hpp"
#include "replacing/with_weir_torch.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "torch/box_targets.hpp"
#include "torch/gradients.hpp"

using namespace replacing;

TEST_CASE("weir's tensors equal its floats, labels, paths and epochs", "[torch]") {
  const weir::test::TemporaryFolder folder;
  weir::bench::write_images(weir::synthetic(40, {40, 56}, 1), folder.path());
  const Settings settings{.root = folder.string(), .side = 32, .batch = 16};
  WeirLoader floats(settings);
  WeirTensorLoader tensors(settings);
  CHECK(tensors.size() == 40);
  CHECK(tensors.class_names() == floats.class_names());
  FloatBatch wanted;
  TensorBatch batch;
  std::vector<std::pair<torch::Tensor, torch::Tensor>> kept;  // and copies of their values
  std::vector<std::string> first, second;
  for (auto* const order : {&first, &second}) {
    while (floats.next(wanted)) {
      REQUIRE(tensors.next(batch));
      const auto rows = static_cast<std::int64_t>(wanted.size());
      CHECK(batch.images.sizes() == std::vector<std::int64_t>{rows, 3, 32, 32});
      CHECK(batch.labels.dtype() == torch::kInt64);
      CHECK(batch.images.equal(
          torch::from_blob(wanted.images.data(), {rows, 3, 32, 32}, torch::kFloat32)));
      CHECK(batch.labels.equal(torch::from_blob(wanted.labels.data(), {rows}, torch::kInt64)));
      CHECK(batch.paths == wanted.paths);
      order->insert(order->end(), batch.paths.begin(), batch.paths.end());
      kept.emplace_back(batch.images, batch.images.clone());
    }
    CHECK_FALSE(tensors.next(batch));
  }
  CHECK(first != second);
  CHECK(std::set(first.begin(), first.end()) == std::set(second.begin(), second.end()));
  for (const auto& [images, held] : kept) CHECK(images.equal(held));
}

TEST_CASE("gradients that say nothing differ by infinity", "[torch]") {
  using trainer::largest_difference;
  using Tensors = std::vector<torch::Tensor>;
  constexpr auto infinity = std::numeric_limits<double>::infinity();
  const auto one = torch::ones({4}, torch::kFloat64), zero = torch::zeros_like(one);
  auto off = one.clone();
  off[2] += 1e-6;
  CHECK(largest_difference({one, one}, {one, one}) == 0);
  CHECK(largest_difference({one, one}, {one, off}) == weir::test::Approx(5e-7));
  CHECK(largest_difference({one, one}, {off, one}) == weir::test::Approx(5e-7));
  CHECK(largest_difference({}, {}) == infinity);
  CHECK(largest_difference({one, one}, {one}) == infinity);
  CHECK(largest_difference({one, zero}, {one, zero}) == infinity);
  for (const auto value : {std::nan(""), infinity}) {
    auto broken = one.clone();
    broken[1] = value;
    for (const auto& [whole, in_parts] :
         {std::pair(one, broken), std::pair(broken, one), std::pair(broken, broken)}) {
      CHECK(largest_difference(Tensors{one, whole}, Tensors{one, in_parts}) == infinity);
      CHECK(largest_difference(Tensors{whole, one}, Tensors{in_parts, one}) == infinity);
    }
  }
}

TEST_CASE("boxes of a batch become a tensor of targets", "[torch]") {
  using detection::Box;
  std::vector<std::vector<Box>> boxes(5);
  boxes[1] = {{.x = 0, .y = 0, .width = 64, .height = 32, .category = 90},
              {.x = 0, .y = 0, .width = 64, .height = 32, .crowd = 1}};
  boxes[3] = {{.x = 16, .y = 8, .width = 32, .height = 16, .category = 7}};
  std::vector<weir::MemorySample> images;
  for (std::size_t i = 0; i < boxes.size(); ++i)
    images.push_back({"black", write_png(PngKind::rgb, 64, 32, std::vector<std::uint8_t>(6144))});
  weir::Loader loader(weir::with_annotations(weir::in_memory(std::move(images)), boxes),
                      {.shape = {32, 32},
                       .fit = weir::Fit::letterbox,
                       .annotation_bytes = weir::ByteBound::measured,
                       .batch = 4});
  std::vector<torch::Tensor> all;
  for (const auto& batch : loader.stream({.epochs = 1}))
    all.push_back(detection::box_targets(batch, [](std::int32_t id) { return id == 90 ? 1 : 0; }));
  REQUIRE(all.size() == 2);
  CHECK(all[0].equal(torch::tensor({1.0F, 1.0F, 0.5F, 0.5F, 1.0F, 0.5F,  //
                                    3.0F, 0.0F, 0.5F, 0.5F, 0.5F, 0.25F})
                         .view({2, 6})));
  CHECK(all[1].sizes() == std::vector<std::int64_t>{0, 6});
}
