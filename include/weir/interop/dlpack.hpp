#pragma once

#include <dlpack/dlpack.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "weir/interop/lease.hpp"

/// \file
/// Batches as DLPack tensors, without a copy: the form in which NumPy, PyTorch, JAX, TensorFlow, CuPy,
/// MXNet and others take one another's memory. CMake component `dlpack`. Written against DLPack 0.6
/// (Debian 12); where the header is 1.0 or later there is the versioned form, too.
///
/// A managed tensor shares the lease and gives it up in its `deleter`, which is to be called once, by any
/// thread. It may outlive stream and loader. A slab is filled anew for each batch, so what is written into
/// the tensor is nobody else's concern.
namespace weir {

namespace interop {

template <std::size_t dimensions>
struct Extent {
  std::array<std::int64_t, dimensions> sizes{}, strides{};

  explicit Extent(const std::array<std::int64_t, dimensions>& shape) : sizes(shape) {
    std::int64_t stride = 1;
    for (auto i = dimensions; i-- > 0; stride *= sizes[i]) strides[i] = stride;
  }
};

/// A managed tensor with all that it refers to.
template <class Managed, std::size_t dimensions>
struct OwnedTensor {
  OwnedTensor(Lease owner, void* data, DLDataType type,
              const std::array<std::int64_t, dimensions>& shape)
      : lease(std::move(owner)), extent(shape) {
    lease->held_by("DLPack");
    auto& tensor = managed.dl_tensor;
    tensor.data = std::ranges::find(shape, 0) == shape.end()
                      ? data
                      : nullptr;  // of no values: DLPack wants null
    tensor.device = {kDLCPU, 0};
    tensor.ndim = static_cast<int>(dimensions);
    tensor.dtype = type;
    tensor.shape = extent.sizes.data();
    tensor.strides = extent.strides.data();
    tensor.byte_offset = 0;
    managed.manager_ctx = this;
    managed.deleter = [](Managed* self) { delete static_cast<OwnedTensor*>(self->manager_ctx); };
#ifdef DLPACK_MAJOR_VERSION
    if constexpr (requires { managed.version; })
      managed.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
#endif
  }

  Lease lease;
  Extent<dimensions> extent;
  Managed managed{};
};

template <class Managed>
Managed* block_as(Lease lease, const PixelBlock& block) {
  const auto& shape = block.shape;
  auto tensor = std::make_unique<OwnedTensor<Managed, 4>>(
      std::move(lease), const_cast<std::uint8_t*>(block.pixels.data()), DLDataType{kDLUInt, 8, 1},
      std::array<std::int64_t, 4>{block.count, shape.height, shape.width, shape.channels});
  return &tensor.release()->managed;
}

template <class Managed>
Managed* pixels_as(Lease lease, std::uint32_t first,
                   std::optional<std::uint32_t> rows = std::nullopt) {
  const auto block = lease->slice(first, rows.value_or(lease->size()));
  return block_as<Managed>(std::move(lease), block);
}

template <class Managed>
Managed* side_as(Lease lease, Shape shape) {
  const auto block = lease->side_pixels(shape);
  return block_as<Managed>(std::move(lease), block);
}

template <class Managed>
Managed* image_as(Lease lease, std::uint32_t i) {
  const auto image = lease->image(i);
  const auto& shape = image.shape;
  auto tensor = std::make_unique<OwnedTensor<Managed, 3>>(
      std::move(lease), const_cast<std::uint8_t*>(image.data), DLDataType{kDLUInt, 8, 1},
      std::array<std::int64_t, 3>{shape.height, shape.width, shape.channels});
  tensor->extent.strides[0] = static_cast<std::int64_t>(image.row_stride);
  return &tensor.release()->managed;
}

template <class Managed>
Managed* labels_as(Lease lease) {
  const auto labels = lease->labels();
  auto tensor = std::make_unique<OwnedTensor<Managed, 1>>(
      std::move(lease), const_cast<std::int64_t*>(labels.data()), DLDataType{kDLInt, 64, 1},
      std::array<std::int64_t, 1>{static_cast<std::int64_t>(labels.size())});
  return &tensor.release()->managed;
}

}  // namespace interop

/// Pixels, N x H x W x C uint8 on the CPU; the caller is to call its deleter. With Sizes::padded H and W are
/// the block's; throws Error{bad_options} where the batch is ragged: see image_as_dlpack().
inline DLManagedTensor* as_dlpack(Lease lease) {
  return interop::pixels_as<DLManagedTensor>(std::move(lease), 0);
}
/// The same of a batch that nothing else shares.
inline DLManagedTensor* as_dlpack(Batch batch) { return as_dlpack(share(std::move(batch))); }
/// Of rows first .. first+count-1, a micro-batch. Throws Error{bad_options} where they are not all there.
inline DLManagedTensor* as_dlpack(Lease lease, std::uint32_t first, std::uint32_t count) {
  return interop::pixels_as<DLManagedTensor>(std::move(lease), first, count);
}
/// Of one image at its own size, H x W x C; with Sizes::padded its lines are as far apart as the block is
/// wide. Throws Error{bad_options} where there is no such row.
inline DLManagedTensor* image_as_dlpack(Lease lease, std::uint32_t i) {
  return interop::image_as<DLManagedTensor>(std::move(lease), i);
}
/// Second images (Options::side_bytes, weir::paired) beside the pixels, N x H x W x C uint8. Throws
/// Error{bad_options} where shape.values() is not side_bytes.
inline DLManagedTensor* side_as_dlpack(Lease lease, Shape shape) {
  return interop::side_as<DLManagedTensor>(std::move(lease), shape);
}
/// Labels, N int64.
inline DLManagedTensor* labels_as_dlpack(Lease lease) {
  return interop::labels_as<DLManagedTensor>(std::move(lease));
}

#ifdef DLPACK_MAJOR_VERSION
/// The same in the form that DLPack 1.0 brought: it says which version it is of.
inline DLManagedTensorVersioned* as_dlpack_versioned(Lease lease) {
  return interop::pixels_as<DLManagedTensorVersioned>(std::move(lease), 0);
}
/// Of rows first .. first+count-1. Throws Error{bad_options} where they are not all there.
inline DLManagedTensorVersioned* as_dlpack_versioned(Lease lease, std::uint32_t first,
                                                     std::uint32_t count) {
  return interop::pixels_as<DLManagedTensorVersioned>(std::move(lease), first, count);
}
/// Image i of the batch.
inline DLManagedTensorVersioned* image_as_dlpack_versioned(Lease lease, std::uint32_t i) {
  return interop::image_as<DLManagedTensorVersioned>(std::move(lease), i);
}
/// Second images beside the pixels. Throws Error{bad_options} where shape.values() is not side_bytes.
inline DLManagedTensorVersioned* side_as_dlpack_versioned(Lease lease, Shape shape) {
  return interop::side_as<DLManagedTensorVersioned>(std::move(lease), shape);
}
/// Labels, N int64.
inline DLManagedTensorVersioned* labels_as_dlpack_versioned(Lease lease) {
  return interop::labels_as<DLManagedTensorVersioned>(std::move(lease));
}
#endif

}  // namespace weir
