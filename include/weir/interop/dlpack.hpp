#pragma once

#include <dlpack/dlpack.h>

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
template <class Managed>
struct OwnedTensor {
  OwnedTensor(Lease owner, const ArrayView& array)
      : lease(std::move(owner)), shape(array.shape), strides(array.strides) {
    lease->held_by("DLPack");
    auto& tensor = managed.dl_tensor;
    // DLPack requires null for a tensor without values.
    tensor.data = array.empty() ? nullptr : const_cast<void*>(array.data);
    tensor.device = {kDLCPU, 0};
    tensor.ndim = static_cast<int>(array.dims);
    tensor.dtype = {static_cast<std::uint8_t>(array.is_signed ? kDLInt : kDLUInt),
                    static_cast<std::uint8_t>(8 * array.element_bytes), 1};
    tensor.shape = shape.data();
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
  std::array<std::int64_t, 4> shape, strides;
  Managed managed{};
};

}  // namespace interop

// Each function returns a DLManagedTensor; the caller must call its deleter. With DLPack 1.0 or
// later, as_dlpack<DLManagedTensorVersioned> and the other functions return the versioned form.

/// Memory of the lease's batch on the CPU: a block of pixels as count x H x W x C, an image as H x W x C
/// with its row stride, any column: `as_dlpack(lease, lease->labels())`. A micro-batch is
/// `as_dlpack(lease, lease->slice(first, count))`. Do not move the lease into the call if the
/// memory is asked from it there.
template <class Managed = DLManagedTensor>
Managed* as_dlpack(Lease lease, const ArrayView& array) {
  auto tensor = std::make_unique<interop::OwnedTensor<Managed>>(std::move(lease), array);
  return &tensor.release()->managed;
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

}  // namespace weir
