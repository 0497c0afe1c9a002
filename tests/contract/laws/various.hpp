#pragma once

#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "contract/laws/fixture.hpp"
#include "unit/codec/encoders.hpp"

namespace weir::test {

/// PNGs of different sizes: pixel (y, x) of image i is (y, x, i). `bad` is not a PNG. `rotten` has
/// a valid header and damaged pixels.
class Various {
 public:
  explicit Various(std::vector<ImageSize> sizes, const std::set<std::uint64_t>& bad = {},
                   const std::set<std::uint64_t>& rotten = {})
      : sizes_(std::move(sizes)), reads_(std::make_shared<std::atomic<std::uint64_t>>(0)) {
    auto files = std::make_shared<std::vector<std::vector<std::byte>>>();
    for (std::uint64_t i = 0; i < sizes_.size(); ++i) {
      files->push_back(encode(i));
      auto& file = files->back();
      if (rotten.contains(i)) file[file.size() - 24] ^= std::byte{0x55};
      if (bad.contains(i)) file.assign(40, std::byte{'x'});
    }
    files_ = std::move(files);
  }
  std::uint64_t size() const { return sizes_.size(); }
  Encoded read(std::uint64_t i, ByteSink& sink) const {
    ++*reads_;
    const auto& file = (*files_)[static_cast<std::size_t>(i)];
    const auto bytes = sink.take(file.size());
    std::memcpy(bytes.data(), file.data(), file.size());
    return {bytes, static_cast<std::int64_t>(i)};
  }
  std::string name(std::uint64_t i) const { return "various/" + std::to_string(i); }
  std::uint64_t index_bytes() const { return 0; }

  ImageSize size_of(std::uint64_t i) const { return sizes_[static_cast<std::size_t>(i)]; }
  std::uint64_t reads() const { return *reads_; }
  std::uint64_t encoded_size(std::uint64_t i) const {
    return (*files_)[static_cast<std::size_t>(i)].size();
  }

 private:
  std::vector<std::byte> encode(std::uint64_t i) const {
    const auto [height, width] = sizes_[static_cast<std::size_t>(i)];
    codec::test::Pixels pixels;
    pixels.reserve(std::size_t{height} * width * 3);
    for (std::uint32_t y = 0; y < height; ++y)
      for (std::uint32_t x = 0; x < width; ++x)
        for (const auto value : {std::uint64_t{y}, std::uint64_t{x}, i})
          pixels.push_back(static_cast<std::uint8_t>(value));
    return codec::test::encode_png(width, height, pixels, {});
  }

  std::vector<ImageSize> sizes_;
  std::shared_ptr<const std::vector<std::vector<std::byte>>> files_;
  std::shared_ptr<std::atomic<std::uint64_t>> reads_;
};

inline std::vector<ImageSize> drawn_sizes(std::uint64_t count, std::uint32_t largest,
                                          std::uint64_t key = 1) {
  RandomStream random(key);
  const auto side = [&] { return 1 + static_cast<std::uint32_t>(random.below(largest)); };
  std::vector<ImageSize> sizes;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto height = side();
    sizes.push_back({height, side()});
  }
  return sizes;
}

/// Padded, ragged, and padded in buckets.
inline SizeOptions own_sizes(int kind) {
  SizeOptions sizes;
  sizes.mode = kind == 1 ? Sizes::ragged : Sizes::padded;
  if (kind == 2) sizes.bucket_batches = 3;
  return sizes;
}

inline Options own_size_options(int kind) {
  Options options;
  options.batch = 4;
  options.workers = 3;
  options.sizes = own_sizes(kind);
  return options;
}

/// Empty if the image of a row is that of `source`, to the pixel. Otherwise describes the difference.
inline std::string wrong_pixels(const Batch& batch, std::uint32_t row, const Various& source) {
  const auto index = batch.indices()[row];
  const auto image = batch.image(row);
  const auto size = source.size_of(index);
  if (image.shape != ImageSize{size.height, size.width}) return "another shape";
  for (std::uint32_t y = 0; y < size.height; ++y)
    for (std::uint32_t x = 0; x < size.width; ++x) {
      const auto* const pixel = image.data + y * image.row_stride + x * std::size_t{3};
      if (pixel[0] != (y & 255) || pixel[1] != (x & 255) || pixel[2] != (index & 255))
        return "pixel " + std::to_string(y) + ", " + std::to_string(x) + " of row " +
               std::to_string(row);
    }
  return {};
}

}  // namespace weir::test
