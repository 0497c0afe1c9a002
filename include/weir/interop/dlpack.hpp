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

template <class Managed>
Managed* block_as(Lease lease, const PixelBlock& block) {
  const auto& shape = block.shape;
  auto tensor = std::make_unique<OwnedTensor<Managed, 4>>(
      std::move(lease), const_cast<std::uint8_t*>(block.pixels.data()), DLDataType{kDLUInt, 8, 1},
      std::array<std::int64_t, 4>{block.count, shape.height, shape.width,
                                  channels_of(block.format)});
  return &tensor.release()->managed;
}

}  // namespace interop

// Each function returns a DLManagedTensor; the caller must call its deleter. With DLPack 1.0 or
// later, as_dlpack<DLManagedTensorVersioned> and the other functions return the versioned form.

/// Pixels of rows first .. first+count-1, for example a micro-batch: count x H x W x C uint8 on the
/// CPU. Throws Error{bad_options} if one of the rows does not exist or if the batch is ragged; see
/// image_as_dlpack().
template <class Managed = DLManagedTensor>
Managed* as_dlpack(Lease lease, std::uint32_t first, std::uint32_t count) {
  const auto block = lease->slice(first, count);
  return interop::block_as<Managed>(std::move(lease), block);
}
/// Pixels of all rows. With Sizes::padded, H and W are those of the block.
template <class Managed = DLManagedTensor>
Managed* as_dlpack(Lease lease) {
  const auto rows = lease->size();
  return as_dlpack<Managed>(std::move(lease), 0, rows);
}
/// Pixels of all rows. The tensor is the only owner of the batch.
template <class Managed = DLManagedTensor>
Managed* as_dlpack(Batch batch) {
  return as_dlpack<Managed>(share(std::move(batch)));
}
/// Second images (Options::side_bytes, weir::with_plane) as N x H x W x C uint8. Throws as
/// Batch::side_pixels() does.
template <class Managed = DLManagedTensor>
Managed* side_as_dlpack(Lease lease, ImageSize shape, PixelFormat format = PixelFormat::rgb8) {
  const auto block = lease->side_pixels(shape, format);
  return interop::block_as<Managed>(std::move(lease), block);
}
/// One image at its own size, H x W x C. With Sizes::padded, its row stride is that of the block.
/// Throws Error{bad_options} if there is no such row.
template <class Managed = DLManagedTensor>
Managed* image_as_dlpack(Lease lease, std::uint32_t i) {
  const auto image = lease->image(i);
  const auto& shape = image.shape;
  auto tensor = std::make_unique<interop::OwnedTensor<Managed, 3>>(
      std::move(lease), const_cast<std::uint8_t*>(image.data), DLDataType{kDLUInt, 8, 1},
      std::array<std::int64_t, 3>{shape.height, shape.width, channels_of(image.format)});
  tensor->strides[0] = static_cast<std::int64_t>(image.row_stride);
  return &tensor.release()->managed;
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
