#include <array>
#include <cmath>
#include <cstring>
#include <random>

#include "encoders.hpp"
#include "support/catch.hpp"

namespace weir::codec::test {
namespace {

using Format = PixelFormat;

/// Pixels as a row has them.
struct Image {
  ImageSize size;
  Format format;
  Pixels pixels;

  std::uint32_t value(std::size_t i) const {
    std::uint16_t wide;
    if (value_bytes(format) == 1) return pixels[i];
    std::memcpy(&wide, &pixels[2 * i], sizeof wide);
    return wide;
  }
};

Image noise(ImageSize size, Format format) {
  std::mt19937 random(7);
  Image image{size, format, Pixels(image_bytes(size, format))};
  for (auto& byte : image.pixels)
    byte = static_cast<std::uint8_t>(random() % 3 == 0 ? 255 * (random() & 1) : random());
  return image;
}

/// The PNG whose upright image is `image`.
Encoded png_of(const Image& image, std::uint8_t exif = 1, bool interlaced = false) {
  const auto turn = Orientation::of_exif(exif);
  const auto [height, width] = image.size;
  const std::uint32_t across = turn.transpose ? height : width,
                      down = turn.transpose ? width : height;
  const std::size_t pixel = pixel_bytes(image.format);
  Pixels packed(image.pixels.size());
  for (std::uint32_t y = 0; y < height; ++y)
    for (std::uint32_t x = 0; x < width; ++x) {
      const auto at = turn.stored(PixelRect{x, y, 1, 1}, across, down);
      std::copy_n(&image.pixels[(y * width + x) * pixel], pixel,
                  &packed[(at.y * across + at.x) * pixel]);
    }
  const bool wide = value_bytes(image.format) == 2;
  for (std::size_t i = 0; wide && i < packed.size(); i += 2) std::swap(packed[i], packed[i + 1]);
  const auto channels = channels_of(image.format);
  return encode_png(across, down, packed,
                    {.depth = wide ? 16 : 8,
                     .colour = channels == 1   ? 0
                               : channels == 4 ? 6
                                               : 2,
                     .interlaced = interlaced});
}

std::vector<Filter> filters_of(Format format) {
  if (is_stored(format)) return {Filter::nearest};
  return {Filter::bilinear, Filter::antialiased};
}

/// The source pixels of one pixel along one axis, and their weights.
struct Weights {
  std::size_t first = 0;
  std::vector<double> shares{};
};

/// The definition of each filter. Bilinear takes pixels that the window touches, the antialiased one
/// those around it, too.
Weights weights_of(std::uint32_t i, std::uint32_t in, std::uint32_t out, double from, double span,
                   Filter filter) {
  const double pitch = span / out, centre = from + (i + 0.5) * pitch;
  if (filter == Filter::nearest) return {static_cast<std::size_t>(centre), {1}};
  const bool all = filter == Filter::antialiased;
  const double reach = all ? std::max(pitch, 1.0) : 1;
  const auto end = all ? in : static_cast<std::size_t>(std::ceil(from + span));
  Weights weights;
  double sum = 0;
  for (auto x = all ? 0 : static_cast<std::size_t>(from); x < end; ++x) {
    const double share = 1 - std::abs(double(x) + 0.5 - centre) / reach;
    if (share <= 0) continue;
    if (weights.shares.empty()) weights.first = x;
    weights.shares.push_back(share);
    sum += share;
  }
  for (auto& share : weights.shares) share /= sum;
  return weights;
}

/// The largest difference of a row from the exact values of a window.
double largest_error(const Image& image, const Rect& shown, const Image& row, Filter filter) {
  const auto channels = channels_of(image.format);
  const auto [height, width] = row.size;
  double largest = 0;
  for (std::uint32_t y = 0; y < height; ++y) {
    const auto down = weights_of(y, image.size.height, height, shown.y, shown.height, filter);
    for (std::uint32_t x = 0; x < width; ++x) {
      const auto across = weights_of(x, image.size.width, width, shown.x, shown.width, filter);
      for (std::size_t c = 0; c < channels; ++c) {
        double exact = 0;
        for (std::size_t v = 0; v < down.shares.size(); ++v)
          for (std::size_t u = 0; u < across.shares.size(); ++u)
            exact += down.shares[v] * across.shares[u] *
                     image.value(
                         ((down.first + v) * image.size.width + across.first + u) * channels + c);
        const double got = row.value((std::size_t{y} * width + x) * channels + c);
        largest = std::max(largest, std::abs(got - exact));
      }
    }
  }
  return largest;
}

/// `row` with the pixels of `target` mirrored at its edges.
Pixels mirrored(const Pixels& row, ImageSize out, const PixelRect& target, std::size_t pixel,
                Flip flip) {
  auto result = row;
  for (std::uint32_t y = 0; y < target.height; ++y)
    for (std::uint32_t x = 0; x < target.width; ++x) {
      const auto to_y = flip.vertical ? target.height - 1 - y : y,
                 to_x = flip.horizontal ? target.width - 1 - x : x;
      const auto at = [&](std::uint32_t v, std::uint32_t u) {
        return (std::size_t{target.y + v} * out.width + target.x + u) * pixel;
      };
      std::copy_n(&row[at(y, x)], pixel, &result[at(to_y, to_x)]);
    }
  return result;
}

}  // namespace

TEST_CASE("windows inside pixels are exact in every orientation", "[windows]") {
  const ImageSize size{26, 38};
  const struct {
    Rect shown;
    ImageSize out;
  } cases[] = {{{2.25, 1.5, 20.5, 17.75}, {9, 16}},   // smaller
               {{30.5, 20.25, 7.5, 5.75}, {17, 21}},  // larger, at the image's edges
               {{3.7, 0, 9.1, 25.3}, {6, 30}},
               {{5.3, 6.6, 0.4, 0.7}, {3, 2}},  // part of a pixel
               {{4, 2, 12, 9}, {9, 5}}};
  for (int f = 0; f <= int(Format::stored16); ++f) {
    const auto format = static_cast<Format>(f);
    if (format == Format::bgr8) continue;  // rgb8 in another order
    const auto image = noise(size, format);
    for (std::uint8_t exif = 1; exif <= 8; ++exif) {
      const auto file = png_of(image, exif);
      for (const auto filter : filters_of(format))
        for (const auto& [shown, out] : cases) {
          CAPTURE(f, int(exif), int(filter), shown.x);
          const Crop window{shown, {0, 0, out.width, out.height}, {}};
          const Image row{out, format,
                          show({.pixels = format, .filter = filter}, file, exif, window, out)};
          REQUIRE(!row.pixels.empty());
          const auto error = largest_error(image, shown, row, filter);
          if (filter == Filter::nearest)
            CHECK(error == 0);
          else
            CHECK(error < (value_bytes(format) == 2 ? 0.51 : 1));
        }
    }
  }
}

TEST_CASE("a mirrored row is the mirror of the row, to the bit", "[windows]") {
  const ImageSize size{26, 31}, out{9, 16};
  const Crop windows[] = {{Rect{3, 4, 16, 9}, {0, 0, 16, 9}, {}},             // copied
                          {Rect{2.25, 1.5, 20.5, 17.75}, {0, 0, 16, 9}, {}},  // smaller
                          {Rect{5, 7, 6, 5}, {2, 1, 13, 7}, {}}};             // larger, in a rim
  for (int f = 0; f <= int(Format::stored16); ++f) {
    const auto format = static_cast<Format>(f);
    std::vector<Encoded> files;
    if (is_stored(format)) {
      for (const bool interlaced : {false, true})
        files.push_back(png_of(noise(size, format), 1, interlaced));
    } else {
      const auto alpha = noise(size, Format::rgba8);
      files = {png_of(alpha), png_of(alpha, 1, true), png_of(noise(size, Format::rgb16)),
               encode_webp({size.width, size.height, 4, alpha.pixels}, std::nullopt),
               encode_jpeg({size.width, size.height, 3, noise(size, Format::rgb8).pixels})};
    }
    for (std::size_t n = 0; n < files.size(); ++n)
      for (const auto filter : filters_of(format))
        for (std::uint8_t exif = 1; exif <= 8; ++exif)
          for (auto window : windows) {
            const DecoderOptions options{.pixels = format, .fill = {9}, .filter = filter};
            const auto row = show(options, files[n], exif, window, out);
            REQUIRE(!row.empty());
            for (const Flip flip : {Flip{true, false}, Flip{false, true}, Flip{true, true}}) {
              window.flip = flip;
              CAPTURE(f, n, int(filter), int(exif), window.source.x, flip.horizontal,
                      flip.vertical);
              CHECK(show(options, files[n], exif, window, out) ==
                    mirrored(row, out, window.target, pixel_bytes(format), flip));
            }
          }
  }
}

}  // namespace weir::codec::test
