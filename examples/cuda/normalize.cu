#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "normalize.hpp"

namespace {

/// value = pixel · slope + offset, for each channel.
struct Lines {
  float slope[3], offset[3];
};

Lines lines_of(const weir::Normalize& how) {
  Lines lines{};
  for (int c = 0; c < 3; ++c) {
    lines.slope[c] = static_cast<float>(how.scale / how.stddev[c]);
    lines.offset[c] = static_cast<float>(-how.mean[c] / how.stddev[c]);
  }
  return lines;
}

__device__ void store(__half& to, float value) { to = __float2half_rn(value); }
__device__ void store(__nv_bfloat16& to, float value) { to = __float2bfloat16_rn(value); }

/// A thread converts four adjacent pixels: three loads of four bytes, three stores of eight.
template <class T>
__global__ void four_pixels_each(const uint32_t* pixels, T* out, uint32_t area, Lines lines) {
  const uint32_t first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (first >= area) return;
  const uint64_t image = blockIdx.y;
  const uint32_t* const from = pixels + (image * area + first) / 4 * 3;
  const uint32_t words[3] = {from[0], from[1], from[2]};
  for (int c = 0; c < 3; ++c) {
    alignas(8) T values[4];
    for (int i = 0; i < 4; ++i) {
      const int byte = 3 * i + c;
      const auto pixel = static_cast<float>(words[byte / 4] >> 8 * (byte % 4) & 255u);
      store(values[i], fmaf(pixel, lines.slope[c], lines.offset[c]));
    }
    *reinterpret_cast<uint2*>(out + (image * 3 + c) * area + first) =
        *reinterpret_cast<const uint2*>(values);
  }
}

/// For images whose number of pixels is not a multiple of four.
template <class T>
__global__ void one_pixel_each(const uint8_t* pixels, T* out, uint32_t area, Lines lines) {
  const uint32_t at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= area) return;
  const uint64_t image = blockIdx.y;
  for (int c = 0; c < 3; ++c)
    store(out[(image * 3 + c) * area + at],
          fmaf(static_cast<float>(pixels[(image * area + at) * 3 + c]), lines.slope[c],
               lines.offset[c]));
}

template <class DeviceType, class T>
cudaError_t launch(const std::uint8_t* pixels, T* out, std::uint32_t count, std::uint32_t area,
                   const weir::Normalize& how, cudaStream_t stream) {
  constexpr unsigned threads = 256;
  const auto lines = lines_of(how);
  auto* const values = reinterpret_cast<DeviceType*>(out);
  if (area % 4 == 0) {
    const dim3 blocks((area / 4 + threads - 1) / threads, count);
    four_pixels_each<<<blocks, threads, 0, stream>>>(reinterpret_cast<const uint32_t*>(pixels),
                                                     values, area, lines);
  } else {
    const dim3 blocks((area + threads - 1) / threads, count);
    one_pixel_each<<<blocks, threads, 0, stream>>>(pixels, values, area, lines);
  }
  return cudaGetLastError();
}

}  // namespace

template <>
cudaError_t normalize(const std::uint8_t* pixels, weir::float16* out, std::uint32_t count,
                      std::uint32_t area, const weir::Normalize& how, cudaStream_t stream) {
  return launch<__half>(pixels, out, count, area, how, stream);
}

template <>
cudaError_t normalize(const std::uint8_t* pixels, weir::bfloat16* out, std::uint32_t count,
                      std::uint32_t area, const weir::Normalize& how, cudaStream_t stream) {
  return launch<__nv_bfloat16>(pixels, out, count, area, how, stream);
}
