#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <locale>
#include <sstream>
#include <string>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "convert/lines.hpp"
#include "weir/convert.hpp"

namespace weir {
namespace {

[[noreturn]] void bad_figure(const char* field, std::size_t channel, double value,
                             const char* bound) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << "Normalize::" << field << '[' << channel << "] is " << value << ", must be " << bound;
  refuse(Stage::lease, text.str());
}

void check(const Normalize& normalize) {
  if (!std::isfinite(normalize.scale)) {
    refuse(Stage::lease, "Normalize::scale is ", normalize.scale, ", must be finite");
  }
  for (std::size_t c = 0; c < 3; ++c) {
    if (!std::isfinite(normalize.mean[c])) bad_figure("mean", c, normalize.mean[c], "finite");
    const double stddev = normalize.stddev[c];
    if (!std::isfinite(stddev) || stddev == 0) bad_figure("stddev", c, stddev, "finite and not 0");
  }
}

void check_size(const char* field, std::uint64_t size, const PixelBlock& block) {
  const auto wanted =
      mul_sat(block.count, mul_sat(mul_sat(block.shape.height, block.shape.width), 3));
  if (size == wanted) return;
  refuse(Stage::lease, field, " is ", size, ", must be ", wanted, " for ", block.count,
         " images of ", block.shape.height, "x", block.shape.width, "x3");
}

template <class T>
using Tables = std::array<std::array<T, 256>, 3>;

// Byte k of a 4-byte load.
constexpr std::uint32_t byte(std::uint32_t word, int k) noexcept {
  return word >> 8 * (std::endian::native == std::endian::little ? k : 3 - k) & 255;
}

template <class T>
void look_up_interleaved(const std::uint8_t* __restrict pixel, std::size_t area,
                         const Tables<T>& tables, T* __restrict out) {
  const auto& [red, green, blue] = tables;
  for (std::size_t i = 0; i < 3 * area; i += 3) {
    out[i] = red[pixel[i]];
    out[i + 1] = green[pixel[i + 1]];
    out[i + 2] = blue[pixel[i + 2]];
  }
}

// Uses three loads for four pixels, because loads limit the speed of look-up. Writes channel by
// channel, because planes are often a multiple of 4 KiB apart, and alternating stores to such
// addresses stall the loads. `plane` is the distance between the values of two channels.
template <class T>
void look_up_planar(const std::uint8_t* __restrict pixel, std::size_t area, std::size_t plane,
                    const Tables<T>& tables, T* __restrict out) {
  const auto& [red, green, blue] = tables;
  T* __restrict reds = out;
  T* __restrict greens = out + plane;
  T* __restrict blues = greens + plane;
  std::size_t i = 0;
  for (; i + 4 <= area; i += 4) {
    std::array<std::uint32_t, 3> words;
    std::memcpy(words.data(), pixel + 3 * i, sizeof(words));
    const auto [a, b, c] = words;
    reds[i] = red[byte(a, 0)];
    reds[i + 1] = red[byte(a, 3)];
    reds[i + 2] = red[byte(b, 2)];
    reds[i + 3] = red[byte(c, 1)];
    greens[i] = green[byte(a, 1)];
    greens[i + 1] = green[byte(b, 0)];
    greens[i + 2] = green[byte(b, 3)];
    greens[i + 3] = green[byte(c, 2)];
    blues[i] = blue[byte(a, 2)];
    blues[i + 1] = blue[byte(b, 1)];
    blues[i + 2] = blue[byte(c, 0)];
    blues[i + 3] = blue[byte(c, 3)];
  }
  for (; i < area; ++i) {
    reds[i] = red[pixel[3 * i]];
    greens[i] = green[pixel[3 * i + 1]];
    blues[i] = blue[pixel[3 * i + 2]];
  }
}

template <class T>
const convert::Kernels<T>& kernels() {
  return std::get<convert::Kernels<T>>(convert::kernels());
}

/// Whether arithmetic on this machine gives the same bits as every entry of the tables.
template <class T>
bool agree(const convert::Lines& lines, const Tables<T>& tables) {
  constexpr std::size_t entries = 256;
  std::array<std::uint8_t, 3 * entries> pixels{};
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::uint8_t>(i / 3);
  Tables<T> computed;
  kernels<T>().planar(pixels.data(), entries, lines, computed.front().data(),
                      convert::Stores::cached);
  return std::memcmp(&computed, &tables, sizeof(tables)) == 0;
}

// About the size of a core's own cache. Smaller outputs stay in the cache, because they are read
// soon.
constexpr std::size_t least_streamed = 4u << 20;

}  // namespace

template <Element T>
struct Converter<T>::State {
  explicit State(const Normalize& normalize) {
    check(normalize);
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t pixel = 0; pixel < 256; ++pixel) {
        // fma rounds once, so nothing is lost if product and mean cancel.
        const double centred =
            std::fma(static_cast<double>(pixel), normalize.scale, -normalize.mean[c]);
        tables[c][pixel] = narrow<T>(centred / normalize.stddev[c]);
      }
      const long double stddev = normalize.stddev[c];
      lines[c] = convert::split_line(normalize.scale / stddev, -normalize.mean[c] / stddev);
    }
    lines_are_exact = agree(lines, tables);
  }
  Tables<T> tables;
  convert::Lines lines;
  bool lines_are_exact;  ///< whether arithmetic on this machine gives the same bits as the tables
};

template <Element T>
Converter<T>::Converter(const Normalize& normalize, Layout layout)
    : state_(std::make_shared<const State>(normalize)), layout_(layout) {}

template <Element T>
void Converter<T>::operator()(const PixelBlock& block, std::span<T> out) const {
  if (block.format != PixelFormat::rgb8) {
    refuse(Stage::lease, "PixelBlock::format has ", channels_of(block.format),
           " channels, must be rgb8");
  }
  check_size("PixelBlock::pixels.size()", block.pixels.size(), block);
  check_size("out.size()", out.size(), block);
  const auto& [tables, lines, lines_are_exact] = *state_;
  const auto area = std::size_t{block.shape.height} * block.shape.width;
  const auto* pixels = block.pixels.data();
  const auto stores =
      out.size_bytes() >= least_streamed ? convert::Stores::streamed : convert::Stores::cached;
  if (layout_ == Layout::nhwc) {
    if (lines_are_exact)
      return kernels<T>().interleaved(pixels, area * block.count, lines, out.data(), stores);
    return look_up_interleaved(pixels, area * block.count, tables, out.data());
  }
  for (std::size_t first = 0; first < out.size(); first += 3 * area) {
    if (lines_are_exact) {
      kernels<T>().planar(pixels + first, area, lines, out.data() + first, stores);
    } else {
      look_up_planar(pixels + first, area, area, tables, out.data() + first);
    }
  }
}

template <Element T>
void Converter<T>::operator()(const ImageView& image, std::span<T> out) const {
  const auto& shape = image.shape;
  const std::size_t line = std::size_t{shape.width} * 3,
                    area = shape.height * std::size_t{shape.width};
  if (image.row_stride == line)
    return (*this)(PixelBlock{{image.data, line * shape.height}, 1, shape, image.format}, out);
  if (image.format != PixelFormat::rgb8) {
    refuse(Stage::lease, "ImageView::format has ", channels_of(image.format),
           " channels, must be rgb8");
  }
  check_size("out.size()", out.size(), {{}, 1, shape});
  for (std::uint32_t y = 0; y < shape.height; ++y) {
    const auto* const pixels = image.data + y * image.row_stride;
    // Arithmetic gives the same bits as the tables.
    if (layout_ == Layout::nhwc)
      look_up_interleaved(pixels, shape.width, state_->tables, out.data() + y * line);
    else
      look_up_planar(pixels, shape.width, area, state_->tables,
                     out.data() + y * std::size_t{shape.width});
  }
}

template class Converter<float>;
template class Converter<float16>;
template class Converter<bfloat16>;

}  // namespace weir
