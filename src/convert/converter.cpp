#include <cmath>
#include <cstddef>
#include <cstdint>
#include <locale>
#include <sstream>
#include <string>

#include "base/checked.hpp"
#include "convert/narrow.hpp"
#include "weir/convert.hpp"
#include "weir/error.hpp"

namespace weir {
namespace {

[[noreturn]] void bad(const std::string& what) {
  throw Error(Errc::bad_options, Stage::lease, what);
}

[[noreturn]] void bad_figure(const char* field, std::size_t channel, double value,
                             const char* bound) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << "Normalize::" << field << '[' << channel << "] is " << value << ", must be " << bound;
  bad(text.str());
}

void check(const Normalize& normalize) {
  if (!std::isfinite(normalize.scale)) {
    bad("Normalize::scale is " + std::to_string(normalize.scale) + ", must be finite");
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
  bad(std::string(field) + " is " + std::to_string(size) + ", must be " + std::to_string(wanted) +
      " for " + std::to_string(block.count) + " images of " + std::to_string(block.shape.height) +
      "x" + std::to_string(block.shape.width) + "x3");
}

template <class T>
using Tables = std::array<std::array<T, 256>, 3>;

template <class T>
void interleaved(const std::uint8_t* __restrict pixel, std::size_t area, const Tables<T>& tables,
                 T* __restrict out) {
  const T* red = tables[0].data();
  const T* green = tables[1].data();
  const T* blue = tables[2].data();
  for (std::size_t i = 0; i < area * 3; i += 3) {
    out[i] = red[pixel[i]];
    out[i + 1] = green[pixel[i + 1]];
    out[i + 2] = blue[pixel[i + 2]];
  }
}

template <class T>
void planar(const std::uint8_t* __restrict pixel, std::size_t area, const Tables<T>& tables,
            T* __restrict out) {
  const T* red = tables[0].data();
  const T* green = tables[1].data();
  const T* blue = tables[2].data();
  for (std::size_t i = 0; i < area; ++i) {
    out[i] = red[pixel[3 * i]];
    out[area + i] = green[pixel[3 * i + 1]];
    out[2 * area + i] = blue[pixel[3 * i + 2]];
  }
}

}  // namespace

template <Element T>
Converter<T>::Converter(const Normalize& normalize, Layout layout) : layout_(layout) {
  check(normalize);
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t pixel = 0; pixel < 256; ++pixel) {
      // One rounding for product and difference, so that nothing is lost where they cancel.
      const double centred =
          std::fma(static_cast<double>(pixel), normalize.scale, -normalize.mean[c]);
      table_[c][pixel] = convert::narrow<T>(centred / normalize.stddev[c]);
    }
  }
}

template <Element T>
void Converter<T>::operator()(const PixelBlock& block, std::span<T> out) const {
  if (block.shape.channels != 3) {
    bad("PixelBlock::shape.channels is " + std::to_string(block.shape.channels) + ", must be 3");
  }
  check_size("PixelBlock::pixels.size()", block.pixels.size(), block);
  check_size("out.size()", out.size(), block);
  const auto area = std::size_t{block.shape.height} * block.shape.width;
  if (layout_ == Layout::nhwc)
    return interleaved(block.pixels.data(), area * block.count, table_, out.data());
  for (std::size_t image = 0; image < block.count; ++image) {
    planar(block.pixels.data() + image * area * 3, area, table_, out.data() + image * area * 3);
  }
}

template class Converter<float>;
template class Converter<float16>;
template class Converter<bfloat16>;

}  // namespace weir
