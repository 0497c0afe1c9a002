#include "cuts.hpp"

#include <malloc.h>

namespace weir::codec::test {
namespace {

constexpr std::uint32_t width = 40, height = 30;

Sample png(std::string name, std::uint32_t bits_a_pixel, const PngStyle& style) {
  const auto stride = (width * bits_a_pixel + 7) / 8;
  return {"PNG, " + std::move(name),
          encode_png(width, height, pattern(stride, height, 1).values, style)};
}

/// What libraries take from the heap is poisoned as well, where glibc gives it.
Outcome run_in(std::uint8_t poison, const DecoderOptions& options,
               std::span<const std::byte> encoded) {
#ifdef __GLIBC__
  mallopt(M_PERTURB, poison);
#endif
  auto outcome = run(options, encoded, 0, poison);
#ifdef __GLIBC__
  mallopt(M_PERTURB, 0);
#endif
  return outcome;
}

}  // namespace

std::vector<Sample> every_kind() {
  const Raster image = pattern(width, height);
  return {{"JPEG, 4:2:0", encode_jpeg(image)},
          {"JPEG, 4:4:4", encode_jpeg(image, {.sampling = 1})},
          {"JPEG, progressive", encode_jpeg(image, {.progressive = true})},
          {"JPEG, grey", encode_jpeg(pattern(width, height, 1))},
          {"JPEG, CMYK", encode_jpeg(pattern(width, height, 4))},
          {"JPEG, arithmetic", encode_jpeg(image, {.arithmetic = true})},
          {"JPEG, arithmetic progressive",
           encode_jpeg(image, {.progressive = true, .arithmetic = true})},
          {"JPEG, restart", encode_jpeg(image, {.restart_rows = 1})},
          png("1 bit grey", 1, {.depth = 1, .colour = 0}),
          png("grey", 8, {.depth = 8, .colour = 0}),
          png("16 bit grey", 16, {.depth = 16, .colour = 0}),
          png("RGB", 24, {}),
          png("16 bit RGB", 48, {.depth = 16}),
          png("palette", 8, {.colour = 3}),
          png("4 bit palette, tRNS", 4,
              {.depth = 4, .colour = 3, .palette_size = 16, .transparency = true}),
          png("grey and alpha", 16, {.colour = 4}),
          png("RGBA", 32, {.colour = 6}),
          png("interlaced", 24, {.interlaced = true}),
          {"WebP, lossy", encode_webp(image, 80.f)},
          {"WebP, lossless", encode_webp(image, std::nullopt)},
          {"WebP, lossy with alpha", encode_webp(pattern(width, height, 4), 80.f)}};
}

std::vector<std::size_t> cuts(const Encoded& encoded, std::size_t step) {
  constexpr std::size_t few = 24;
  std::vector<std::size_t> lengths;
  for (std::size_t length = 0; length < encoded.size(); ++length)
    if (length < few || length + few >= encoded.size() || length % step == 0)
      lengths.push_back(length);
  return lengths;
}

std::size_t silent_cuts(const Sample& sample, const DecoderOptions& options, std::size_t step) {
  std::size_t silent = 0;
  for (const auto length : cuts(sample.encoded, step))
    if (run(options, std::span(sample.encoded).first(length))) ++silent;
  return silent;
}

Leniency deliver_cuts(const Sample& sample, std::size_t step) {
  Leniency found;
  for (const auto length : cuts(sample.encoded, step)) {
    const auto cut = std::span(sample.encoded).first(length);
    for (const Fit fit : {Fit::stretch, Fit::letterbox, Fit::center}) {
      const DecoderOptions options{.fit = {.out = {height, width, 3}, .fit = fit, .short_side = 40},
                                   .strict = false};
      ++found.tried;
      const Outcome one = run_in(0xa5, options, cut), other = run_in(0x5a, options, cut);
      if (!one) continue;
      ++found.delivered;
      if (one.decoded->status != RowStatus::damaged) ++found.unflagged;
      if (!other || one.row != other.row) ++found.stale;
    }
  }
  return found;
}

}  // namespace weir::codec::test
