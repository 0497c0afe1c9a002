#include "images.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
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

void write_images(const AnySource& images, const std::filesystem::path& folder) {
  HeapSink sink;
  for (std::uint64_t i = 0; i < images.size(); ++i) {
    const auto image = images.read(i, sink);
    const auto label = folder / std::to_string(image.label);
    std::filesystem::create_directories(label);
    std::ofstream file(label / (std::to_string(i) + ".jpg"), std::ios::binary);
    file.write(reinterpret_cast<const char*>(image.bytes.data()),
               static_cast<std::streamsize>(image.bytes.size()));
    if (!file.flush()) throw std::runtime_error("cannot write to " + label.string());
  }
}

std::uint64_t encoded_bytes(const std::vector<MemorySample>& samples) noexcept {
  std::uint64_t bytes = 0;
  for (const auto& sample : samples) bytes += sample.bytes.size();
  return bytes;
}

}  // namespace weir::bench
