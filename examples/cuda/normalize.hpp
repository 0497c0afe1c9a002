#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <weir/convert.hpp>

/// Converts N x H x W x 3 uint8 on the device to N x 3 x H x W of half or bfloat16, normalised, in
/// one pass. Each pixel takes 3 bytes of reads and 6 bytes of writes. `area` is H · W.
template <weir::Element T>
cudaError_t normalize(const std::uint8_t* pixels, T* out, std::uint32_t count, std::uint32_t area,
                      const weir::Normalize& how, cudaStream_t stream);
