#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "weir/source.hpp"

namespace weir::bench {

class HeapSink final : public ByteSink {
 public:
  std::optional<std::span<std::byte>> try_take(std::size_t bytes) override {
    if (memory_.size() < bytes) memory_.resize(bytes);
    return std::span(memory_).first(bytes);
  }

 private:
  std::vector<std::byte> memory_;
};

/// The first `count` photographs of $WEIR_TEST_DATA/photos, or synthetic ones of 375 x 500.
std::vector<MemorySample> images(std::uint64_t count);

/// Writes every image as a file of `folder`, with one folder for each label. Throws
/// std::runtime_error if a file cannot be written.
void write_images(const AnySource& images, const std::filesystem::path& folder);

std::uint64_t encoded_bytes(const std::vector<MemorySample>& samples) noexcept;

}  // namespace weir::bench
