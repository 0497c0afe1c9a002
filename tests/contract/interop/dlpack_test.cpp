#include "contract/interop/dlpack_1.hpp"

#include <thread>

#include "weir/interop/dlpack.hpp"

#include "contract/interop/scene.hpp"

using namespace weir;
using namespace weir::test;

namespace {

template <class Managed>
Drop drop_of(Managed* tensor) {
  return [tensor] { tensor->deleter(tensor); };
}

/// Checks a tensor of rows x shape without gaps.
void check_block(const DLTensor& tensor, const void* where, std::int64_t rows, ImageSize shape,
                 PixelFormat format = PixelFormat::rgb8) {
  CHECK(tensor.data == where);
  CHECK(tensor.byte_offset == 0);
  CHECK(tensor.device.device_type == kDLCPU);
  CHECK(tensor.device.device_id == 0);
  CHECK(tensor.dtype.code == kDLUInt);
  CHECK(tensor.dtype.bits == 8 * value_bytes(format));
  CHECK(tensor.dtype.lanes == 1);
  REQUIRE(tensor.ndim == 4);
  const std::int64_t height = shape.height, width = shape.width, channels = channels_of(format);
  CHECK(std::vector(tensor.shape, tensor.shape + 4) == std::vector{rows, height, width, channels});
  CHECK(std::vector(tensor.strides, tensor.strides + 4) ==
        std::vector{height * width * channels, width * channels, channels, std::int64_t{1}});
}

void check_pixels(const Scene& scene, const DLTensor& tensor, std::uint32_t first,
                  std::int64_t rows) {
  check_block(tensor, scene.row(first), rows, {16, 16});
}

void check_labels(const Scene& scene, const DLTensor& tensor) {
  CHECK(tensor.data == scene.lease->labels().data());
  CHECK(tensor.dtype.code == kDLInt);
  CHECK(tensor.dtype.bits == 64);
  REQUIRE(tensor.ndim == 1);
  CHECK(tensor.shape[0] == 4);
  CHECK(tensor.strides[0] == 1);
}

}  // namespace

TEST_CASE("a batch as a DLPack tensor lies in the slab", "[interop]") {
  Scene scene;
  auto* const whole = as_dlpack(scene.lease);
  auto* const part = as_dlpack(scene.lease, scene.lease->slice(1, 2));
  auto* const labels = as_dlpack(scene.lease, scene.lease->labels());
  check_pixels(scene, whole->dl_tensor, 0, 4);
  check_pixels(scene, part->dl_tensor, 1, 2);
  check_labels(scene, labels->dl_tensor);
  CHECK(scene.lease.use_count() == 4);
  for (auto* const tensor : {whole, part, labels}) tensor->deleter(tensor);
  CHECK(scene.lease.use_count() == 1);
}

TEST_CASE("any column of a batch is a DLPack tensor", "[interop]") {
  const Scene scene;
  const auto& batch = *scene.lease;
  const std::vector<ImageSize> sizes{{3, 4}, {5, 6}};
  struct Case {
    ArrayView column;
    const void* where;
    int code, bits;
    std::vector<std::int64_t> shape, strides;
  };
  for (const auto& c : {
           Case{batch.indices(), batch.indices().data(), kDLUInt, 64, {4}, {1}},
           Case{batch.statuses(), batch.statuses().data(), kDLUInt, 8, {4}, {1}},
           Case{batch.annotation_lengths(),
                batch.annotation_lengths().data(),
                kDLUInt,
                32,
                {4},
                {1}},
           Case{batch.offsets(), nullptr, kDLUInt, 64, {0}, {1}},
           Case{std::span(sizes), sizes.data(), kDLUInt, 32, {2, 2}, {2, 1}},
           Case{ArrayView(batch.pixel_bytes()).in_rows(4),
                batch.pixel_bytes().data(),
                kDLUInt,
                8,
                {4, 768},
                {768, 1}},
       }) {
    auto* const managed = as_dlpack(scene.lease, c.column);
    const auto& tensor = managed->dl_tensor;
    CHECK(tensor.data == c.where);
    CHECK(tensor.dtype.code == c.code);
    CHECK(tensor.dtype.bits == c.bits);
    CHECK(std::vector(tensor.shape, tensor.shape + tensor.ndim) == c.shape);
    CHECK(std::vector(tensor.strides, tensor.strides + tensor.ndim) == c.strides);
    managed->deleter(managed);
  }
  CHECK(scene.lease.use_count() == 1);
}

TEST_CASE("second images are a DLPack tensor beside the pixels", "[interop]") {
  Scene scene;
  auto* const second = as_dlpack(scene.lease, scene.second_block());
  auto* const versioned = as_dlpack<DLManagedTensorVersioned>(scene.lease, scene.second_block());
  check_block(second->dl_tensor, scene.second_row(0), 4, Scene::second);
  check_block(versioned->dl_tensor, scene.second_row(0), 4, Scene::second);
  CHECK(scene.untouched());
  second->deleter(second);
  versioned->deleter(versioned);
  CHECK(scene.lease.use_count() == 1);
}

TEST_CASE("a DLPack tensor has the type and strides of its format", "[interop]") {
  Scene scene;
  for (const auto& block : scene.blocks_of_each_type()) {
    auto* const all = as_dlpack(scene.lease, block);
    check_block(all->dl_tensor, scene.second_row(0), 4, block.shape, block.format);
    all->deleter(all);
    // The left half of an image.
    auto half = block.image(3);
    half.shape.width /= 2;
    auto* const one = as_dlpack(scene.lease, half);
    const auto& tensor = one->dl_tensor;
    CHECK(tensor.data == scene.second_row(3));
    CHECK(tensor.dtype.bits == 8 * value_bytes(block.format));
    CHECK(
        std::vector(tensor.shape, tensor.shape + 3) ==
        std::vector<std::int64_t>{half.shape.height, half.shape.width, channels_of(block.format)});
    CHECK(tensor.strides[0] == std::int64_t{block.shape.width} * channels_of(block.format));
    one->deleter(one);
  }
  CHECK(scene.lease.use_count() == 1);
}

TEST_CASE("own-size images are DLPack tensors but a ragged batch is not", "[interop][sizes]") {
  for (const auto mode : {Sizes::padded, Sizes::ragged}) {
    const auto ledger = std::make_shared<MemoryLedger>(std::nullopt);
    auto lease = lease_of_own_sizes(mode, ledger);
    const auto size = lease->sizes()[2];
    const auto image = lease->image(2);
    if (mode == Sizes::ragged) {
      CHECK_THROWS_WITH(as_dlpack(lease), has_text("`sizes.mode` = ragged"));
    } else {
      auto* const whole = as_dlpack(lease);
      CHECK(whole->dl_tensor.shape[2] == lease->pixels().shape.width);
      whole->deleter(whole);
    }
    auto* const one = as_dlpack(lease, lease->image(2));
    CHECK_THROWS_WITH(as_dlpack(lease, lease->image(4)), has_text("the batch has 4 rows"));
    lease.reset();
    REQUIRE(one->dl_tensor.ndim == 3);
    CHECK(one->dl_tensor.data == image.data);
    CHECK(one->dl_tensor.shape[0] == size.height);
    CHECK(one->dl_tensor.shape[1] == size.width);
    CHECK(one->dl_tensor.strides[0] == static_cast<std::int64_t>(image.row_stride));
    CHECK(one->dl_tensor.strides[1] == 3);
    CHECK(ledger->leases().size() == 1);
    one->deleter(one);
    CHECK(ledger->snapshot().live == 0);
  }
}

TEST_CASE("the slab is idle after DLPack tensors die in any order", "[interop]") {
  drop_in_every_order("DLPack", [](Scene& scene) {
    return std::vector{drop_of(as_dlpack(scene.lease, scene.lease->slice(0, 2))),
                       drop_of(as_dlpack(scene.lease, scene.lease->labels()))};
  });
  drop_in_every_order("DLPack", [](Scene& scene) {
    return std::vector{drop_of(as_dlpack(scene.lease, scene.second_block())),
                       drop_of(as_dlpack(scene.lease))};
  });
}

TEST_CASE("DLPack tensors may die on other threads", "[interop]") {
  Scene scene;
  std::vector<DLManagedTensor*> tensors;
  for (std::uint32_t i = 0; i < 4; ++i)
    tensors.push_back(as_dlpack(scene.lease, scene.lease->slice(i, 1)));
  scene.lease.reset();
  CHECK(scene.leased() == scene.slab_bytes);
  {
    std::vector<std::jthread> threads;
    for (auto* const tensor : tensors) threads.emplace_back([tensor] { tensor->deleter(tensor); });
  }
  CHECK(scene.leased() == 0);
  auto* const next = as_dlpack(*scene.stream->next());
  CHECK(scene.leased() == scene.slab_bytes);
  next->deleter(next);
  CHECK(scene.leased() == 0);
}

TEST_CASE("a versioned tensor has its version and the same contents", "[interop]") {
  Scene scene;
  auto* const whole = as_dlpack<DLManagedTensorVersioned>(scene.lease);
  auto* const part = as_dlpack<DLManagedTensorVersioned>(scene.lease, scene.lease->slice(2, 1));
  auto* const labels = as_dlpack<DLManagedTensorVersioned>(scene.lease, scene.lease->labels());
  CHECK(whole->version.major == DLPACK_MAJOR_VERSION);
  CHECK(whole->version.minor == DLPACK_MINOR_VERSION);
  CHECK(whole->flags == 0);
  check_pixels(scene, whole->dl_tensor, 0, 4);
  check_pixels(scene, part->dl_tensor, 2, 1);
  check_labels(scene, labels->dl_tensor);
  for (auto* const tensor : {whole, part, labels}) tensor->deleter(tensor);
  CHECK(scene.lease.use_count() == 1);
}

TEST_CASE("the slab is idle after versioned tensors die in any order", "[interop]") {
  drop_in_every_order("DLPack", [](Scene& scene) {
    return std::vector{
        drop_of(as_dlpack<DLManagedTensorVersioned>(scene.lease, scene.lease->slice(0, 2))),
        drop_of(as_dlpack<DLManagedTensorVersioned>(scene.lease, scene.lease->labels()))};
  });
}
