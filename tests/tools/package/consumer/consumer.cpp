#include <cstdint>
#include <cstdio>

#include <weir/weir.hpp>

#if WEIR_VERSION_MAJOR == 0 && WEIR_VERSION_MINOR < 1
#error "an older weir"
#endif

int main() {
  weir::Loader loader(weir::synthetic(10, {64, 64}), {.shape = {32, 32}, .batch = 4});
  std::uint64_t rows = 0;
  for (const auto& batch : loader.stream()) rows += batch.size();
  if (weir::library_version() != weir::version) return 1;
  std::printf("weir %s: %llu rows\n", weir::version.data(), static_cast<unsigned long long>(rows));
  return rows == 10 ? 0 : 1;
}
