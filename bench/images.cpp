#include "images.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

namespace weir::bench {
namespace {

AnySource source(std::uint64_t count) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing here changes the environment
  const char* data = std::getenv("WEIR_TEST_DATA");
  if (data != nullptr && *data != '\0') return image_folder(std::string(data) + "/photos");
  return synthetic(count, {375, 500});
}

}  // namespace

std::vector<MemorySample> images(std::uint64_t count) {
  const auto from = source(count);
  std::vector<MemorySample> samples;
  HeapSink sink;
  for (std::uint64_t i = 0; i < std::min(count, from.size()); ++i) {
    const auto encoded = from.read(i, sink);
    samples.push_back({from.name(i), {encoded.bytes.begin(), encoded.bytes.end()}, encoded.label});
  }
  return samples;
}

std::uint64_t encoded_bytes(const std::vector<MemorySample>& samples) noexcept {
  std::uint64_t bytes = 0;
  for (const auto& sample : samples) bytes += sample.bytes.size();
  return bytes;
}

}  // namespace weir::bench
