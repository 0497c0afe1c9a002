#include <cstdint>
#include <cstdio>
#include <utility>

#include <weir/interop/torch.hpp>
#include <weir/weir.hpp>

int main() {
  weir::Loader loader(weir::synthetic(10, {64, 64}), {.shape = {32, 32}, .batch = 4});
  const weir::Converter<float> to_float;
  std::int64_t rows = 0;
  auto stream = loader.stream();
  while (auto batch = stream.next()) {
    const auto lease = weir::share(std::move(*batch));
    const auto block = lease->pixels();
    const auto pixels = weir::as_tensor(lease);
    const auto floats = weir::to_tensor(block, to_float);
    if (pixels.data_ptr() != block.pixels.data()) return 1;
    if (!torch::allclose(floats, pixels.to(torch::kFloat32) / 255)) return 1;
    rows += floats.size(0);
  }
  std::printf("weir %s: %lld rows as tensors\n", weir::version.data(),
              static_cast<long long>(rows));
  return rows == 10 ? 0 : 1;
}
