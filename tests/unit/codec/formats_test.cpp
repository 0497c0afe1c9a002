#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "encoders.hpp"
#include "header_bytes.hpp"
#include "support/catch.hpp"

namespace weir::codec::test {
namespace {

using Format = PixelFormat;
constexpr std::array coloured{Format::rgb8,  Format::bgr8,   Format::rgba8,
                              Format::grey8, Format::grey16, Format::rgb16};

std::uint32_t luma(std::uint32_t r, std::uint32_t g, std::uint32_t b) {
  return (19595 * r + 38470 * g + 7471 * b + 32768) >> 16;
}

/// Appends values as the format has them.
void append(Pixels& pixels, Format format, std::initializer_list<std::uint32_t> values) {
  for (const auto value : values) {
    const auto wide = static_cast<std::uint16_t>(value);
    std::array<std::uint8_t, 2> bytes;
    std::memcpy(bytes.data(), &wide, sizeof wide);
    if (value_bytes(format) == 2)
      pixels.insert(pixels.end(), bytes.begin(), bytes.end());
    else
      pixels.push_back(static_cast<std::uint8_t>(value));
  }
}

/// What a file says of a pixel: values of `depth` bits. Grey has equal colours.
struct Pixel {
  std::uint32_t r, g, b, alpha, depth;
  bool grey;
  std::uint32_t stored;

  std::uint32_t white() const { return (1u << depth) - 1; }
  std::uint32_t to8(std::uint32_t value) const {
    return depth == 16 ? value >> 8 : value * 255 / white();
  }
  std::uint32_t to16(std::uint32_t value) const { return value * 65535 / white(); }
};

void append(Pixels& pixels, Format format, const Pixel& p) {
  const auto r = p.to8(p.r), g = p.to8(p.g), b = p.to8(p.b);
  const auto R = p.to16(p.r), G = p.to16(p.g), B = p.to16(p.b);
  switch (format) {
    case Format::rgb8: return append(pixels, format, {r, g, b});
    case Format::bgr8: return append(pixels, format, {b, g, r});
    case Format::rgba8: return append(pixels, format, {r, g, b, p.to8(p.alpha)});
    case Format::grey8: return append(pixels, format, {p.grey ? r : luma(r, g, b)});
    case Format::grey16: return append(pixels, format, {p.grey ? R : luma(R, G, B)});
    case Format::rgb16: return append(pixels, format, {R, G, B});
    case Format::stored8:
    case Format::stored16: return append(pixels, format, {p.stored});
  }
}

/// A PNG and its pixels, by the packing of ISO/IEC 15948.
struct MadePng {
  Encoded encoded;
  std::vector<Pixel> pixels;
};

MadePng make_png(std::uint32_t width, std::uint32_t height, const PngStyle& style) {
  const auto depth = static_cast<std::uint32_t>(style.depth);
  const std::uint32_t channels = style.colour == 0 || style.colour == 3 ? 1
                                 : style.colour == 4                    ? 2
                                 : style.colour == 6                    ? 4
                                                                        : 3;
  MadePng made;
  Pixels packed;
  std::uint32_t noise = 77;
  for (std::uint32_t y = 0; y < height; ++y) {
    std::uint32_t bits = 0, byte = 0;
    for (std::uint32_t x = 0; x < width; ++x) {
      std::array<std::uint32_t, 4> v{};
      for (std::uint32_t c = 0; c < channels; ++c) {
        noise = noise * 1664525 + 1013904223;
        v[c] = x == 1 ? (c + 1) & ((1u << depth) - 1) : (noise >> 12) & ((1u << depth) - 1);
        if (depth == 16) packed.push_back(static_cast<std::uint8_t>(v[c] >> 8));
        if (depth >= 8) packed.push_back(static_cast<std::uint8_t>(v[c]));
        if (depth >= 8) continue;
        byte = byte << depth | v[c];
        bits += depth;
        if (bits == 8 || x + 1 == width)
          packed.push_back(static_cast<std::uint8_t>(byte << (8 - bits)));
        if (bits == 8) bits = byte = 0;
      }
      const auto white = (1u << depth) - 1;
      Pixel p{v[0], v[1], v[2], white, depth, false, v[0]};
      if (style.colour == 3) {
        p = {palette_entry(v[0], 0),
             palette_entry(v[0], 1),
             palette_entry(v[0], 2),
             255,
             8,
             false,
             v[0]};
        if (style.transparency) p.alpha = static_cast<std::uint8_t>(v[0] * 3);
      } else if (channels < 3) {
        p = {v[0], v[0], v[0], channels == 2 ? v[1] : white, depth, true, v[0]};
        if (style.transparency && v[0] == 1) p.alpha = 0;
      } else if (channels == 4) {
        p.alpha = v[3];
      } else if (style.transparency && v[0] == 1 && v[1] == 2 && v[2] == 3) {
        p.alpha = 0;
      }
      made.pixels.push_back(p);
    }
  }
  made.encoded = encode_png(width, height, packed, style);
  return made;
}

Outcome whole(const Encoded& encoded, Format format, bool strict = true,
              std::uint8_t poison = 0xa5) {
  return run({.fit = own_size, .pixels = format, .strict = strict}, encoded, 0, poison);
}

std::string why(const Outcome& outcome) {
  if (outcome) return "delivered";
  CHECK(outcome.defect().kind == FaultKind::unsupported);
  return outcome.defect().reason;
}

/// `rgb` (rgb8) in another format.
Pixels permuted(const Pixels& rgb, Format format) {
  Pixels result;
  for (std::size_t i = 0; i < rgb.size(); i += 3)
    append(result, format, Pixel{rgb[i], rgb[i + 1], rgb[i + 2], 255, 8, false, 0});
  return result;
}

bool is_jpeg(const Encoded& encoded) { return encoded[0] == std::byte{0xff}; }

/// 8-bit values times 257.
Pixels widened(const Pixels& values) {
  Pixels result;
  for (const std::uint32_t value : values) append(result, Format::grey16, {value * 257});
  return result;
}

}  // namespace

TEST_CASE("a PNG of any type gives its samples' values in each format", "[formats]") {
  for (const int colour : {0, 2, 3, 4, 6}) {
    for (const int depth : {1, 2, 4, 8, 16}) {
      if ((colour == 3 && depth == 16) || (colour != 0 && colour != 3 && depth < 8)) continue;
      for (int variant = 0; variant < 4; ++variant) {
        const bool keyed = (variant & 2) != 0;
        if (keyed && colour > 3) continue;
        const auto made = make_png(19, 11,
                                   {.depth = depth,
                                    .colour = colour,
                                    .interlaced = (variant & 1) != 0,
                                    .palette_size = std::size_t{1} << std::min(depth, 8),
                                    .transparency = keyed});
        for (int f = 0; f <= int(Format::stored16); ++f) {
          const auto format = static_cast<Format>(f);
          CAPTURE(colour, depth, variant, f);
          const auto outcome = whole(made.encoded, format);
          if (is_stored(format) && (colour == 2 || colour == 6)) {
            CHECK(why(outcome).find(depth == 16 ? "use rgb16" : "use rgb8") != std::string::npos);
          } else if (format == Format::stored8 && depth == 16) {
            CHECK(why(outcome) == "PNG with values of 16 bits; use stored16");
          } else {
            REQUIRE(outcome);
            Pixels expected;
            for (const auto& pixel : made.pixels) append(expected, format, pixel);
            CHECK(outcome.row == expected);
            CHECK(whole(made.encoded, format, true, 0x5a).row == expected);
          }
        }
      }
    }
  }
}

TEST_CASE("bgr8, rgba8 and grey8 follow from rgb8 in every window", "[formats]") {
  const Raster image = pattern(90, 70);
  const std::pair<const char*, Encoded> files[] = {
      {"png", encode_png(90, 70, image.values, {})},
      {"interlaced", encode_png(90, 70, image.values, {.interlaced = true})},
      {"webp", encode_webp(image, 80.f)},
      {"lossless webp", encode_webp(image, std::nullopt)},
      {"ppm", to_bytes(text("P6 90 70 255\n") + image.values)},
      {"jpeg", encode_jpeg(image)},
      {"progressive", encode_jpeg(image, {.progressive = true})},
      {"rgb jpeg", encode_jpeg(image, {.sampling = 1, .rgb = true})},
      {"cmyk", encode_jpeg(pattern(90, 70, 4))}};
  for (const auto& [name, encoded] : files) {
    const bool lumas = std::string_view(name) == "jpeg" || std::string_view(name) == "progressive";
    const auto rgb = whole(encoded, Format::rgb8);
    REQUIRE(rgb);
    const auto grey = encode_png(90, 70, permuted(rgb.row, Format::grey8), {.colour = 0});
    for (const auto format : coloured) {
      CAPTURE(name, int(format));
      const auto outcome = whole(encoded, format);
      REQUIRE(outcome);
      // Grey of a YCbCr file is what the file has; codec_opencv tests it.
      if (channels_of(format) != 1 || !lumas) {
        auto expected = permuted(rgb.row, format);
        if (format == Format::grey16 && is_jpeg(encoded))
          expected = widened(permuted(rgb.row, Format::grey8));
        CHECK(outcome.row == expected);
      }
      if (value_bytes(format) == 2 || (lumas && format == Format::grey8)) continue;
      for (const auto filter : {Filter::bilinear, Filter::antialiased})
        for (std::uint64_t draw = 0; draw < 4; ++draw) {
          const FitSpec fit{.out = {20, 28}, .fit = Fit::random};
          const auto plain = run({.fit = fit, .filter = filter}, encoded, draw);
          const DecoderOptions options{.fit = fit, .pixels = format, .filter = filter};
          const auto other = run(options, encoded, draw);
          REQUIRE((plain && other));
          // Grey is resized as grey, not made of resized colours.
          CHECK(other.row == (format == Format::grey8 ? run(options, grey, draw).row
                                                      : permuted(plain.row, format)));
        }
    }
  }
}

TEST_CASE("grey8 of colours rounds as Pillow's L does", "[formats]") {
  // The colours whose sum is just at or below the middle of two greys: 521 of 2^24.
  constexpr std::uint32_t inverse = 18895;  // of 7471, modulo 65536
  Raster image{521, 1, 3, {}};
  Pixels expected;
  for (std::uint32_t r = 0; r < 256; ++r)
    for (std::uint32_t g = 0; g < 256; ++g)
      for (const std::uint32_t middle : {32767u, 32768u}) {
        const auto b = ((middle - 19595 * r - 38470 * g) * inverse) & 65535;
        if (b > 255) continue;
        append(image.values, Format::rgb8, {r, g, b});
        append(expected, Format::grey8, {luma(r, g, b)});
      }
  REQUIRE(expected.size() == image.width);
  for (const auto& file : {encode_png(521, 1, image.values, {}), encode_webp(image, std::nullopt),
                           to_bytes(text("P6 521 1 255\n") + image.values),
                           encode_png(521, 1, image.values, {.interlaced = true})})
    CHECK(whole(file, Format::grey8).row == expected);
}

TEST_CASE("alpha is resized like an image of its own", "[formats]") {
  const Raster image = pattern(90, 70, 4);
  Pixels alphas, flat;
  for (std::size_t i = 0; i < image.values.size(); ++i)
    (i % 4 == 3 ? alphas : flat).push_back(image.values[i]);
  const auto alpha_alone = encode_png(90, 70, alphas, {.colour = 0}),
             colours_alone = encode_png(90, 70, flat, {});
  for (const auto& file : {encode_png(90, 70, image.values, {.colour = 6}),
                           encode_png(90, 70, image.values, {.colour = 6, .interlaced = true}),
                           encode_webp(image, std::nullopt)})
    for (const auto filter : {Filter::bilinear, Filter::antialiased})
      for (std::uint64_t draw = 0; draw < 4; ++draw) {
        const auto shown = [&](const Encoded& encoded, Format format) {
          const FitSpec fit{.out = {20, 28}, .fit = Fit::random};
          return run({.fit = fit, .pixels = format, .filter = filter}, encoded, draw).row;
        };
        const auto rgb = shown(colours_alone, Format::rgb8),
                   alpha = shown(alpha_alone, Format::grey8);
        Pixels rgba;
        for (std::size_t i = 0; i < alpha.size(); ++i)
          rgba.insert(rgba.end(), {rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2], alpha[i]});
        CHECK(shown(file, Format::rgb8) == rgb);
        CHECK(shown(file, Format::rgba8) == rgba);
      }
}

TEST_CASE("JPEG and WebP have no stored values, and WebP has its alpha", "[formats]") {
  const Raster image = pattern(16, 16, 4);
  CHECK(why(whole(encode_jpeg(pattern(16, 16, 1)), Format::stored8)) ==
        "JPEG is lossy, so it has no stored values; use PNG, or grey8");
  const auto webp = encode_webp(image, std::nullopt);
  CHECK(why(whole(webp, Format::stored16)) ==
        "WebP has colours, and stored formats have one value; use rgb8");
  CHECK(whole(webp, Format::rgba8).row == image.values);
}

TEST_CASE("a PNM of any largest value is scaled or delivered as stored", "[formats]") {
  for (const std::uint32_t most : {1u, 100u, 255u, 256u, 4095u, 65535u}) {
    for (const std::uint32_t channels : {1u, 3u}) {
      Encoded encoded =
          to_bytes(text((channels == 1 ? "P5 5 4 " : "P6 5 4 ") + std::to_string(most) + "\n"));
      std::vector<std::uint32_t> values;
      for (std::uint32_t i = 0; i < 20 * channels; ++i) {
        values.push_back(i * 7919 % (most + 1));
        if (most > 255) encoded.push_back(std::byte(values.back() >> 8));
        encoded.push_back(std::byte(values.back() & 255));
      }
      const auto scaled = [&](std::uint32_t value) {
        return static_cast<std::uint32_t>((value * 2ull * 65535 + most) / (2ull * most));
      };
      Pixels grey, rgb, stored;
      for (std::uint32_t i = 0; i < 20; ++i) {
        const auto* const v = &values[i * channels];
        const auto r = scaled(v[0]), g = scaled(v[channels / 2]), b = scaled(v[channels - 1]);
        append(rgb, Format::rgb16, {r, g, b});
        append(grey, Format::grey16, {luma(r, g, b)});
        append(stored, Format::stored16, {v[0]});
      }
      CAPTURE(most, channels);
      CHECK(whole(encoded, Format::grey16).row == grey);
      CHECK(whole(encoded, Format::rgb16).row == rgb);
      if (channels == 3) {
        CHECK(why(whole(encoded, Format::stored16)).starts_with("PPM has colours"));
      } else {
        CHECK(whole(encoded, Format::stored16).row == stored);
        const auto narrow = whole(encoded, Format::stored8);
        if (most > 255) CHECK(why(narrow) == "PGM with values of 16 bits; use stored16");
        if (most <= 255) CHECK(narrow.row.size() == values.size());
        for (std::size_t i = 0; i < narrow.row.size(); ++i) CHECK(narrow.row[i] == values[i]);
      }
      if (most != 255)
        CHECK(why(whole(encoded, Format::rgb8)).find("largest value is not 255") !=
              std::string::npos);
    }
  }
}

TEST_CASE("stored values come from pixel centres in every orientation", "[formats]") {
  const std::uint32_t width = 37, height = 26;
  const auto made = make_png(width, height, {.depth = 8, .colour = 3});
  for (const auto out : {ImageSize{13, 18}, ImageSize{12, 16}, ImageSize{40, 90}}) {
    for (std::uint8_t exif = 1; exif <= 8; ++exif) {
      for (std::uint64_t draw = 0; draw < 4; ++draw) {
        const DecoderOptions options{.fit = {.out = out, .fit = Fit::random},
                                     .pixels = Format::stored8};
        const auto turn = Orientation::of_exif(exif);
        const ImageSize upright{turn.transpose ? width : height, turn.transpose ? height : width};
        const auto window = choose_window(upright, options.fit, draw);
        Pixels expected;
        const auto source = pixels_of(window.source);
        for (std::uint32_t y = 0; y < out.height; ++y)
          for (std::uint32_t x = 0; x < out.width; ++x) {
            const std::uint32_t i = window.flip.horizontal ? out.width - 1 - x : x;
            const auto X = source.x + (2 * i + 1) * source.width / (2 * out.width);
            const auto Y = source.y + (2 * y + 1) * source.height / (2 * out.height);
            auto u = turn.transpose ? Y : X, v = turn.transpose ? X : Y;
            if (turn.mirror_x) u = width - 1 - u;
            if (turn.mirror_y) v = height - 1 - v;
            expected.push_back(static_cast<std::uint8_t>(made.pixels[v * width + u].stored));
          }
        CAPTURE(out.width, int(exif), draw);
        CHECK(show(options, made.encoded, exif, crop_of(window, upright), out) == expected);
      }
    }
  }
}

TEST_CASE("missing lines are fill in stored formats, else opaque grey", "[formats]") {
  auto made = make_png(40, 64, {.depth = 8, .colour = 0});
  made.encoded.resize(made.encoded.size() * 2 / 3);
  for (int f = 0; f <= int(Format::stored16); ++f) {
    const auto format = static_cast<Format>(f);
    CAPTURE(f);
    const auto outcome = whole(made.encoded, format, false);
    REQUIRE(outcome);
    CHECK(outcome.decoded->status == RowStatus::damaged);
    Pixels first, last;
    append(first, format, made.pixels[0]);
    append(
        last, format,
        is_stored(format) ? Pixel{0, 0, 0, 0, 8, true, 0} : Pixel{128, 128, 128, 255, 8, true, 0});
    CHECK(std::ranges::equal(first, std::span(outcome.row).first(first.size())));
    CHECK(std::ranges::equal(last, std::span(outcome.row).last(last.size())));
    CHECK(whole(made.encoded, format, false, 0x5a).row == outcome.row);
  }
  const auto filled = run(
      {.fit = own_size, .pixels = Format::stored16, .fill = {700}, .strict = false}, made.encoded);
  REQUIRE(filled);
  Pixels last;
  append(last, Format::stored16, {700});
  CHECK(std::ranges::equal(last, std::span(filled.row).last(last.size())));
}

}  // namespace weir::codec::test
