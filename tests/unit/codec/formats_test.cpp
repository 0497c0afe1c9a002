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
      {"jpeg", encode_jpeg(image)},
      {"progressive", encode_jpeg(image, {.progressive = true})},
      {"rgb jpeg", encode_jpeg(image, {.sampling = 1, .rgb = true})},
      {"cmyk", encode_jpeg(pattern(90, 70, 4))}};
  for (const auto& [name, encoded] : files) {
    const bool lumas = std::string_view(name) == "jpeg" || std::string_view(name) == "progressive";
    const auto rgb = whole(encoded, Format::rgb8);
    REQUIRE(rgb);
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
      if (value_bytes(format) == 2 || channels_of(format) == 1) continue;
      for (const auto filter : {Filter::bilinear, Filter::antialiased})
        for (std::uint64_t draw = 0; draw < 4; ++draw) {
          const FitSpec fit{.out = {20, 28}, .fit = Fit::random};
          const auto plain = run({.fit = fit, .filter = filter}, encoded, draw);
          const auto other = run({.fit = fit, .pixels = format, .filter = filter}, encoded, draw);
          REQUIRE((plain && other));
          CHECK(other.row == permuted(plain.row, format));
        }
    }
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

TEST_CASE("windows inside pixels agree in every orientation and flip", "[formats]") {
  const ImageSize upright{26, 38}, out{9, 16};
  Raster image{upright.width, upright.height, 3, {}};
  for (std::uint32_t i = 0; i < upright.height * upright.width * 3; ++i)
    image.values.push_back(static_cast<std::uint8_t>(i * 41 % 239));
  const Crop shown{Rect{2.25, 1.5, 20.5, 17.75}, {0, 0, out.width, out.height}, {}};
  for (const auto format : {Format::rgb8, Format::stored8}) {
    Pixels reference;
    for (std::uint8_t exif = 1; exif <= 8; ++exif)
      for (const bool across : {false, true})
        for (const bool down : {false, true}) {
          // The file whose upright image is `image`.
          const auto turn = Orientation::of_exif(exif);
          const std::uint32_t width = turn.transpose ? upright.height : upright.width,
                              height = turn.transpose ? upright.width : upright.height;
          Pixels stored(image.values.size()), first(std::size_t{width} * height);
          for (std::uint32_t y = 0; y < upright.height; ++y)
            for (std::uint32_t x = 0; x < upright.width; ++x) {
              const auto at = turn.stored(PixelRect{x, y, 1, 1}, width, height);
              const auto* const pixel = &image.values[(y * upright.width + x) * 3];
              std::copy_n(pixel, 3, &stored[(std::size_t{at.y} * width + at.x) * 3]);
              first[std::size_t{at.y} * width + at.x] = pixel[0];
            }
          const auto encoded = format == Format::rgb8
                                   ? encode_png(width, height, stored, {})
                                   : encode_png(width, height, first, {.colour = 0});
          Decoder decoder({.pixels = format});
          auto info = decoder.probe(encoded);
          REQUIRE(info);
          info->orientation = exif;
          auto crop = shown;
          crop.flip = {across, down};
          const auto plan = plan_decode(*info, crop, out, decoder.options());
          const Scratch scratch(plan.memory.scratch);
          Pixels row(plan.out_bytes(), 0xa5), turned(row.size());
          const std::atomic<bool> cancelled{false};
          REQUIRE(decoder.decode(encoded, plan, scratch, cancelled, row));
          const std::size_t channels = channels_of(format);
          for (std::size_t y = 0; y < out.height; ++y)
            for (std::size_t x = 0; x < out.width; ++x)
              std::copy_n(&row[(y * out.width + x) * channels], channels,
                          &turned[((down ? out.height - 1 - y : y) * out.width +
                                   (across ? out.width - 1 - x : x)) *
                                  channels]);
          if (reference.empty()) {
            reference = turned;
            // The middle of the first pixel, or the mean of those around it.
            const auto X = 2.25 + 20.5 / 16 / 2, Y = 1.5 + 17.75 / 9 / 2;
            const auto at = [&](std::size_t v, std::size_t u) {
              return double{1} * image.values[(v * upright.width + u) * 3];
            };
            const auto u = static_cast<std::size_t>(X - 0.5), v = static_cast<std::size_t>(Y - 0.5);
            const double a = X - 0.5 - double(u), b = Y - 0.5 - double(v);
            const double mean = (1 - b) * ((1 - a) * at(v, u) + a * at(v, u + 1)) +
                                b * ((1 - a) * at(v + 1, u) + a * at(v + 1, u + 1));
            if (format == Format::rgb8)
              CHECK(std::abs(turned[0] - mean) < 1);
            else
              CHECK(turned[0] == at(std::size_t(Y), std::size_t(X)));
          }
          CAPTURE(int(exif), across, down, int(format));
          // Bilinear resamples the file's columns before its rows, which are those of the upright
          // image only if the file is not transposed.
          const int most = turn.transpose && format == Format::rgb8 ? 1 : 0;
          for (std::size_t i = 0; i < turned.size(); ++i)
            REQUIRE(std::abs(int(turned[i]) - int(reference[i])) <= most);
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
        Decoder decoder(options);
        auto info = decoder.probe(made.encoded);
        REQUIRE(info);
        info->orientation = exif;
        const auto window = choose_window(decoder.upright(*info), options.fit, draw);
        const auto plan = decoder.plan(*info, draw);
        const Scratch scratch(plan.memory.scratch);
        Pixels row(plan.out_bytes(), 0xa5), expected;
        const std::atomic<bool> cancelled{false};
        REQUIRE(decoder.decode(made.encoded, plan, scratch, cancelled, row));
        const auto turn = Orientation::of_exif(exif);
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
        CHECK(row == expected);
      }
    }
  }
}

TEST_CASE("missing lines are 0 for stored values, otherwise opaque grey", "[formats]") {
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
}

}  // namespace weir::codec::test
