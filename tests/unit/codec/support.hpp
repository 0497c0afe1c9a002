#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "codec/decoder.hpp"
#include "codec/format.hpp"
#include "codec/resampler.hpp"
#include "support/decode_plan.hpp"

namespace weir::codec::test {

using Encoded = std::vector<std::byte>;
using Pixels = std::vector<std::uint8_t>;

/// An image in memory: rows without gaps, `channels` values for each pixel.
struct Raster {
  std::uint32_t width = 0, height = 0, channels = 3;
  Pixels values{};
  bool adobe = false;  ///< the JPEG has Adobe's marker
  std::uint8_t at(std::uint32_t x, std::uint32_t y, std::uint32_t c) const {
    return values[(std::size_t{y} * width + x) * channels + c];
  }
};

/// A gradient with an edge and some noise, without symmetry.
inline Raster pattern(std::uint32_t width, std::uint32_t height, std::uint32_t channels = 3) {
  Raster raster{width, height, channels, Pixels(std::size_t{width} * height * channels)};
  for (std::uint32_t y = 0; y < height; ++y) {
    for (std::uint32_t x = 0; x < width; ++x) {
      for (std::uint32_t c = 0; c < channels; ++c) {
        const std::uint32_t edge = x * 3 > width * 2 && y * 2 < height ? 60 : 0;
        const std::uint32_t grain = ((x * 73 + y * 151 + c * 31 + 7) * 2'654'435'761u) >> 28;
        raster.values[(std::size_t{y} * width + x) * channels + c] = static_cast<std::uint8_t>(
            10 + x * (80 + 15 * c) / width + y * (80 - 25 * c) / height + edge + grain);
      }
    }
  }
  return raster;
}

inline Encoded read_file(const std::filesystem::path& path) {
  Encoded encoded(std::filesystem::file_size(path));
  std::ifstream(path, std::ios::binary)
      .read(reinterpret_cast<char*>(encoded.data()), static_cast<std::streamsize>(encoded.size()));
  return encoded;
}

inline Encoded to_bytes(std::span<const std::uint8_t> values) {
  const auto bytes = std::as_bytes(values);
  return {bytes.begin(), bytes.end()};
}

/// Scratch memory of exactly the requested size, filled with `poison` and aligned as in the engine.
/// A sanitizer detects an access to the first byte beyond.
class Scratch {
 public:
  explicit Scratch(std::uint64_t bytes, std::uint8_t poison = 0xa5)
      : bytes_(bytes),
        data_(static_cast<std::byte*>(::operator new (bytes, std::align_val_t{64}))) {
    std::fill_n(data_, bytes_, std::byte{poison});
  }
  ~Scratch() { ::operator delete (data_, std::align_val_t{64}); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  operator std::span<std::byte>() const {
    return {data_, bytes_};
  }  // NOLINT(google-explicit-constructor)

 private:
  std::size_t bytes_;
  std::byte* data_;
};

struct Outcome {
  Result<ImageInfo> info = ImageInfo{};
  Result<Decoded> decoded = Decoded{};
  Pixels row{};

  explicit operator bool() const { return info && decoded; }
  const Defect& defect() const { return info ? decoded.defect() : info.defect(); }
};

/// For run(): each image at its own size.
inline constexpr FitSpec own_size{.out = {0, 0}};

/// One decoder and its memory for one file after the other, as in a worker.
class OneDecoder {
 public:
  OneDecoder(const DecoderOptions& options, std::uint64_t scratch_bytes)
      : decoder_(options), scratch_(scratch_bytes) {}
  Outcome run(std::span<const std::byte> encoded, std::uint64_t draw = 0) {
    Outcome outcome{.info = decoder_.probe(encoded)};
    if (!outcome.info) return outcome;
    const auto plan = decoder_.options().fit.out == own_size.out
                          ? plan_whole(*outcome.info, decoder_.options())
                          : plan_row(decoder_, *outcome.info, draw);
    outcome.row.assign(static_cast<std::size_t>(plan.out_bytes()), 0xa5);
    outcome.decoded = decoder_.decode(encoded, plan, scratch_, never_, outcome.row);
    return outcome;
  }

 private:
  Decoder decoder_;
  Scratch scratch_;
  const std::atomic<bool> never_{false};
};

/// Decodes with what is known of the file.
inline Outcome run_as(const Result<ImageInfo>& info, const DecoderOptions& options,
                      std::span<const std::byte> encoded, std::uint64_t draw = 0,
                      std::uint8_t poison = 0xa5) {
  Decoder decoder(options);
  Outcome outcome{.info = info};
  if (!outcome.info) return outcome;
  const auto plan = options.fit.out == own_size.out ? plan_whole(*outcome.info, decoder.options())
                                                    : plan_row(decoder, *outcome.info, draw);
  const Scratch scratch(plan.memory.scratch, poison);
  outcome.row.assign(static_cast<std::size_t>(plan.out_bytes()), poison);
  const std::atomic<bool> cancelled{false};
  outcome.decoded = decoder.decode(encoded, plan, scratch, cancelled, outcome.row);
  return outcome;
}

inline Outcome run(const DecoderOptions& options, std::span<const std::byte> encoded,
                   std::uint64_t draw = 0, std::uint8_t poison = 0xa5) {
  return run_as(Decoder(options).probe(encoded), options, encoded, draw, poison);
}

/// The header of a JPEG as if it had no restart interval. With it, the decoder enters no part.
inline ImageInfo without_parts(ImageInfo info) {
  auto layout = info.layout.get<JpegLayout>();
  layout.restart_interval = 0;
  info.layout.set(layout);
  return info;
}

/// The row that shows `crop` of a file with this EXIF orientation. Empty if it does not decode.
inline Pixels show(const DecoderOptions& options, std::span<const std::byte> encoded,
                   std::uint8_t exif, const Crop& crop, ImageSize out) {
  Decoder decoder(options);
  auto info = decoder.probe(encoded);
  if (!info) return {};
  info->orientation = exif;
  const auto plan = plan_decode(*info, crop, out, decoder.options());
  const Scratch scratch(plan.memory.scratch);
  Pixels row(static_cast<std::size_t>(plan.out_bytes()), 0xa5);
  const std::atomic<bool> cancelled{false};
  return decoder.decode(encoded, plan, scratch, cancelled, row) ? row : Pixels{};
}

/// Resamples the whole image. `behind` fills the memory and the bytes after each line. They may be
/// read but must not affect the result. Empty if rows are missing.
inline Pixels resampled(const Pixels& image, const Resize& resize, std::uint8_t behind) {
  const Scratch memory(Resampler::memory_bytes(resize), behind);
  Resampler resampler(resize, std::span<std::byte>(memory).data());
  const std::size_t pixel = pixel_bytes(resize.format), in = resize.in_width * pixel;
  Pixels out(std::size_t{resize.out_width} * resize.out_height * pixel);
  Pixels line(in + overrun, behind);
  for (std::size_t y = 0; y < resize.in_height; ++y) {
    std::copy_n(image.data() + y * in, in, line.begin());
    resampler.feed(line.data());
    while (resampler.ready())
      resampler.make_row(out.data() + resampler.next_row() * resize.out_width * pixel);
  }
  return resampler.next_row() == resize.out_height ? out : Pixels{};
}
inline Pixels resampled(const Raster& image, const Resize& resize, std::uint8_t behind) {
  return resampled(image.values, resize, behind);
}

/// Every pixel as stored: stretch to the image's own size, orientation ignored.
inline Outcome run_whole(std::span<const std::byte> encoded, bool strict = true,
                         std::uint8_t poison = 0xa5,
                         std::vector<std::shared_ptr<const ForeignCodec>> codecs = {}) {
  DecoderOptions options{.fit = {.fit = Fit::stretch},
                         .exif = Exif::ignore,
                         .strict = strict,
                         .codecs = std::move(codecs)};
  const auto info = Decoder(options).probe(encoded);
  if (!info) return {.info = info.defect()};
  options.fit.out = {info->height, info->width};
  return run(options, encoded, 0, poison);
}

}  // namespace weir::codec::test
