#include "cuts.hpp"

#include <malloc.h>

namespace weir::codec::test {
namespace {

/// With glibc, the heap memory of libraries is poisoned, too.
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

std::vector<Sample> every_kind(std::uint32_t width, std::uint32_t height) {
  const auto png = [=](const std::string& name, std::uint32_t bits_a_pixel, const PngStyle& style) {
    const auto stride = (width * bits_a_pixel + 7) / 8;
    return Sample{"PNG, " + name,
                  encode_png(width, height, pattern(stride, height, 1).values, style)};
  };
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

std::vector<Sample> more_jpegs() {
  const Raster image = pattern(40, 30), cmyk = pattern(40, 30, 4);
  return {
      {"JPEG, 4:2:2", encode_jpeg(image, {.rows = 1})},
      {"JPEG, 4:4:0", encode_jpeg(image, {.sampling = 1, .rows = 2})},
      {"JPEG, 4:1:1", encode_jpeg(image, {.sampling = 4, .rows = 1})},
      {"JPEG, 4:1:0", encode_jpeg(image, {.sampling = 4, .rows = 2})},
      {"JPEG, chroma finer than luma",
       encode_jpeg(image, {.sampling = 1, .chroma = 2, .chroma_rows = 2})},
      {"JPEG, RGB", encode_jpeg(image, {.sampling = 1, .rgb = true})},
      {"JPEG, YCCK", encode_jpeg(cmyk, {.ycck = true})},
      {"JPEG, CMYK without Adobe", encode_jpeg(cmyk, {.adobe_cmyk = false})},
      {"JPEG, CMYK progressive", encode_jpeg(cmyk, {.progressive = true})},
      {"JPEG, grey progressive", encode_jpeg(pattern(40, 30, 1), {.progressive = true})},
      {"JPEG, progressive 4:4:4", encode_jpeg(image, {.sampling = 1, .progressive = true})},
      {"JPEG, progressive restart", encode_jpeg(image, {.progressive = true, .restart_rows = 1})},
      {"JPEG, arithmetic restart", encode_jpeg(image, {.arithmetic = true, .restart_rows = 1})},
      {"JPEG, its own tables", encode_jpeg(image, {.optimize = true})},
      {"JPEG, coarse", encode_jpeg(image, {.quality = 10})},
      {"JPEG, 17 x 33", encode_jpeg(pattern(17, 33))},
      {"JPEG, 8 x 8", encode_jpeg(pattern(8, 8), {.sampling = 1})},
      {"JPEG, 96 x 5", encode_jpeg(pattern(96, 5))},
      {"JPEG, 5 x 96", encode_jpeg(pattern(5, 96))},
      {"JPEG, turned", with_exif(encode_jpeg(image), 6)}};
}

std::vector<DecoderOptions> each_fit() {
  std::vector<DecoderOptions> settings;
  for (const Fit fit : {Fit::stretch, Fit::letterbox, Fit::center})
    settings.push_back({.fit = {.out = {30, 40}, .fit = fit, .short_side = 40}});
  return settings;
}

std::vector<DecoderOptions> other_settings() {
  const FitSpec smaller{.out = {9, 11}, .fit = Fit::stretch},
      larger{.out = {50, 70}, .fit = Fit::letterbox},
      crop{.out = {6, 6}, .fit = Fit::center, .short_side = 9};
  return {{.fit = smaller, .decode = Decode::fast},
          {.fit = crop, .decode = Decode::fast},
          {.fit = smaller, .filter = Filter::antialiased},
          {.fit = crop, .filter = Filter::antialiased, .decode = Decode::fast},
          {.fit = larger, .filter = Filter::antialiased},
          {.fit = own_size},
          {.fit = own_size, .exif = Exif::ignore, .decode = Decode::fast}};
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

Leniency deliver_cuts(const Sample& sample, std::size_t step,
                      const std::vector<DecoderOptions>& settings) {
  Leniency found;
  for (const auto length : cuts(sample.encoded, step)) {
    const auto cut = std::span(sample.encoded).first(length);
    for (auto options : settings) {
      options.strict = false;
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
