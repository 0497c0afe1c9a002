#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "unit/codec/encoders.hpp"
#include "weir/source.hpp"

namespace weir::test {

/// PNGs of several sizes with a mask of half the size. Every pixel of sample i is i. Its label is i % 4, and
/// its annotation is i. `bad` is no image, and `unmasked` has no mask.
class Plain {
 public:
  explicit Plain(std::uint64_t count, std::set<std::uint64_t> bad = {},
                 std::set<std::uint64_t> unmasked = {})
      : bad_(std::move(bad)), unmasked_(std::move(unmasked)) {
    for (std::uint64_t i = 0; i < count; ++i) files_.push_back(file_of(i));
  }
  std::uint64_t size() const { return files_.size(); }
  std::vector<std::string> planes() const { return {"mask"}; }
  Encoded read(std::uint64_t i, ByteSink& sink) const {
    const auto& [image, mask, annotation] = files_[i];
    Encoded sample{.bytes = put(image, sink), .label = *label(i), .annotation = annotation};
    const bool masked = sink.wants(0) && !unmasked_.contains(i);
    (void)sample.planes.add(masked ? put(mask, sink) : std::span<const std::byte>());
    return sample;
  }
  std::string name(std::uint64_t i) const { return "plain/" + std::to_string(i); }
  std::uint64_t index_bytes() const { return 0; }
  std::optional<std::int64_t> label(std::uint64_t i) const {
    return static_cast<std::int64_t>(i % 4);
  }
  static ImageSize size_of(std::uint64_t i) {
    return {static_cast<std::uint32_t>(16 + 4 * (i % 5)),
            static_cast<std::uint32_t>(20 + 6 * (i % 3))};
  }

 private:
  using Bytes = std::vector<std::byte>;
  struct File {
    Bytes image, mask, annotation;
  };
  File file_of(std::uint64_t i) const {
    const auto [height, width] = size_of(i);
    const auto value = static_cast<std::uint8_t>(i);
    File file{codec::test::encode_png(
                  width, height, codec::test::Pixels(std::size_t{3} * height * width, value), {}),
              codec::test::encode_png(width / 2, height / 2,
                                      codec::test::Pixels(std::size_t{height} * width / 4, value),
                                      {.colour = 0}),
              Bytes(sizeof(std::uint64_t))};
    std::memcpy(file.annotation.data(), &i, sizeof(i));
    if (bad_.contains(i)) file.image.assign(30, std::byte{'x'});
    return file;
  }
  static std::span<std::byte> put(const Bytes& file, ByteSink& sink) {
    const auto bytes = sink.take(file.size());
    std::ranges::copy(file, bytes.begin());
    return bytes;
  }

  std::set<std::uint64_t> bad_, unmasked_;
  std::vector<File> files_;
};

}  // namespace weir::test
