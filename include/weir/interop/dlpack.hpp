#pragma once

#include <dlpack/dlpack.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "weir/interop/lease.hpp"

/// \file
/// Batches as DLPack tensors without a copy, for NumPy, PyTorch, JAX, TensorFlow, CuPy, MXNet and
/// others. CMake component `dlpack`. Written for DLPack 0.6 (Debian 12). With a header of 1.0 or
/// later there is also the versioned form.
///
/// A managed tensor shares the lease and releases it in its `deleter`. Call the deleter once, in
/// any thread. The tensor may outlive stream and loader. You may write to it, because the slab is
/// written again for each batch.
namespace weir {

namespace interop {

/// A managed tensor and everything that it refers to.
template <class Managed, std::size_t dimensions>
struct OwnedTensor {
  OwnedTensor(Lease owner, void* data, DLDataType type,
              const std::array<std::int64_t, dimensions>& shape)
      : lease(std::move(owner)), sizes(shape) {
    lease->held_by("DLPack");
    std::int64_t stride = 1;
    for (auto i = dimensions; i-- > 0; stride *= sizes[i]) strides[i] = stride;
    auto& tensor = managed.dl_tensor;
    tensor.data = std::ranges::find(shape, 0) == shape.end()
                      ? data
                      : nullptr;  // DLPack requires null for a tensor without values
    tensor.device = {kDLCPU, 0};
    tensor.ndim = static_cast<int>(dimensions);
    tensor.dtype = type;
    tensor.shape = sizes.data();
    tensor.strides = strides.data();
    tensor.byte_offset = 0;
    managed.manager_ctx = this;
    managed.deleter = [](Managed* self) { delete static_cast<OwnedTensor*>(self->manager_ctx); };
#ifdef DLPACK_MAJOR_VERSION
    if constexpr (requires { managed.version; })
      managed.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
#endif
  }

  Lease lease;
  std::array<std::int64_t, dimensions> sizes, strides{};
  Managed managed{};
};

/// The type of the values of a pixel.
constexpr DLDataType pixel_type(PixelFormat format) noexcept {
  return {kDLUInt, static_cast<std::uint8_t>(8 * value_bytes(format)), 1};
}

}  // namespace interop

// Each function returns a DLManagedTensor; the caller must call its deleter. With DLPack 1.0 or
// later, as_dlpack<DLManagedTensorVersioned> and the other functions return the versioned form.
// Values of pixels are uint8 or uint16, as the format has them.

/// A block of the lease's batch: count x H x W x C on the CPU. Do not move the lease into the call
/// if the block is asked from it there.
template <class Managed = DLManagedTensor>
Managed* as_dlpack(Lease lease, const PixelBlock& block) {
  auto tensor = std::make_unique<interop::OwnedTensor<Managed, 4>>(
      std::move(lease), const_cast<std::uint8_t*>(block.pixels.data()),
      interop::pixel_type(block.format),
      std::array<std::int64_t, 4>{block.count, block.shape.height, block.shape.width,
                                  channels_of(block.format)});
  return &tensor.release()->managed;
}
/// An image of the lease's batch: H x W x C, with the row stride of the view.
template <class Managed = DLManagedTensor>
Managed* as_dlpack(Lease lease, const ImageView& image) {
  const auto& shape = image.shape;
  auto tensor = std::make_unique<interop::OwnedTensor<Managed, 3>>(
      std::move(lease), const_cast<std::uint8_t*>(image.data), interop::pixel_type(image.format),
      std::array<std::int64_t, 3>{shape.height, shape.width, channels_of(image.format)});
  tensor->strides[0] = static_cast<std::int64_t>(image.row_stride / value_bytes(image.format));
  return &tensor.release()->managed;
}
/// Pixels of rows first .. first+count-1, for example a micro-batch. Throws Error{bad_options} if one
/// of the rows does not exist or if the batch is ragged; see image_as_dlpack().
template <class Managed = DLManagedTensor>
Managed* as_dlpack(Lease lease, std::uint32_t first, std::uint32_t count) {
  const auto block = lease->slice(first, count);
  return as_dlpack<Managed>(std::move(lease), block);
}
/// Pixels of all rows. With Sizes::padded, H and W are those of the block.
template <class Managed = DLManagedTensor>
Managed* as_dlpack(Lease lease) {
  const auto block = lease->pixels();
  return as_dlpack<Managed>(std::move(lease), block);
}
/// Pixels of all rows. The tensor is the only owner of the batch.
template <class Managed = DLManagedTensor>
Managed* as_dlpack(Batch batch) {
  return as_dlpack<Managed>(share(std::move(batch)));
}
/// One image at its own size. With Sizes::padded, its row stride is that of the block. Throws
/// Error{bad_options} if there is no such row.
template <class Managed = DLManagedTensor>
Managed* image_as_dlpack(Lease lease, std::uint32_t i) {
  const auto image = lease->image(i);
  return as_dlpack<Managed>(std::move(lease), image);
}
/// The labels, N int64.
template <class Managed = DLManagedTensor>
Managed* labels_as_dlpack(Lease lease) {
  const auto labels = lease->labels();
  auto tensor = std::make_unique<interop::OwnedTensor<Managed, 1>>(
      std::move(lease), const_cast<std::int64_t*>(labels.data()), DLDataType{kDLInt, 64, 1},
      std::array<std::int64_t, 1>{static_cast<std::int64_t>(labels.size())});
  return &tensor.release()->managed;
}

}  // namespace weir
