#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <locale>
#include <sstream>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "convert/lines.hpp"
#include "weir/convert.hpp"

namespace weir {
namespace {

constexpr double widening = 257;  ///< 255 of 8 bits is 65535 of 16 bits

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
  const auto is_finite = [](double value) { return std::isfinite(widening * value); };
  for (std::size_t c = 0; c < 3; ++c) {
    const double mean = normalize.mean[c], stddev = normalize.stddev[c];
    if (!is_finite(mean)) bad_figure("mean", c, mean, "finite, also times 257");
    if (!is_finite(stddev) || stddev == 0)
      bad_figure("stddev", c, stddev, "finite and not 0, also times 257");
  }
}

void check_format(const Normalize& normalize, PixelFormat format) {
  if (is_stored(format)) {
    refuse(Stage::lease, "a Converter does not take pixels of ", to_string(format),
           ": stored values are not intensities; weir::widen() gives them as integers");
  }
  const auto& [mean, stddev, scale] = normalize;
  if (channels_of(format) == 1 && (mean != std::array{mean[0], mean[0], mean[0]} ||
                                   stddev != std::array{stddev[0], stddev[0], stddev[0]})) {
    refuse(Stage::lease, "Normalize differs by colour, but ", to_string(format),
           " has one channel; use one mean and one stddev for all three colours");
  }
}

void check_size(const char* field, std::uint64_t size, std::uint64_t of_image,
                const PixelBlock& block) {
  const auto wanted = mul_sat(block.count, of_image);
  if (size == wanted) return;
  refuse(Stage::lease, field, " is ", size, ", must be ", wanted, " for ", block.count,
         " images of ", block.shape.height, "x", block.shape.width, " ", to_string(block.format));
}

constexpr std::size_t alpha = 3;

/// The colour of channel c: 0 to 2 as in Normalize, or alpha. Grey has the figures of all colours.
constexpr std::size_t colour_of(PixelFormat format, std::size_t c) noexcept {
  return format == PixelFormat::bgr8 ? 2 - c : c;
}

/// (value / factor · scale − mean) / stddev, as if rounded once to double. fma rounds once, and with
/// what the product of factor and mean lost, nothing is lost if the two cancel.
class Formula {
 public:
  Formula(const Normalize& normalize, std::size_t colour, double factor) noexcept
      : scale_(normalize.scale),
        mean_(colour == alpha ? 0 : factor * normalize.mean[colour]),
        mean_rest_(colour == alpha ? 0 : std::fma(factor, normalize.mean[colour], -mean_)),
        stddev_(colour == alpha ? factor : factor * normalize.stddev[colour]) {}
  double operator()(double value) const noexcept {
    return (std::fma(value, scale_, -mean_) - mean_rest_) / stddev_;
  }

 private:
  double scale_, mean_, mean_rest_, stddev_;
};

/// Pixels without gaps, and where their values go: channel c of pixel i to
/// out[c * channel_step + i * pixel_step].
template <class T>
struct Run {
  const std::uint8_t* pixels;
  std::size_t count, channels;
  T* out;
  std::size_t channel_step, pixel_step;
};

/// Writes the results of `convert(value)` for channel c.
template <class Value, class T, class Conversion>
void convert_channel(const Run<T>& run, std::size_t c, const Conversion& convert) {
  const std::uint8_t* from = run.pixels + c * sizeof(Value);
  T* to = run.out + c * run.channel_step;
  for (std::size_t i = 0; i < run.count; ++i) {
    Value value;
    std::memcpy(&value, from, sizeof(value));
    *to = convert(value);
    from += run.channels * sizeof(Value);
    to += run.pixel_step;
  }
}

/// By colour, with alpha last.
template <class T>
using Tables = std::array<std::array<T, 256>, 4>;

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
  std::array<T, 3 * entries> computed;
  kernels<T>().planar(pixels.data(), entries, lines, computed.data(), entries,
                      convert::Stores::cached);
  return std::memcmp(&computed, &tables, sizeof(computed)) == 0;
}

// About the size of a core's own cache. Smaller outputs stay in the cache, because they are read
// soon.
constexpr std::size_t least_streamed = 4u << 20;

}  // namespace

template <Element T>
struct Converter<T>::State {
  explicit State(const Normalize& figures) : normalize(figures) {
    check(normalize);
    for (std::size_t c = 0; c < tables.size(); ++c) {
      const Formula formula(normalize, c, 1);
      for (std::size_t pixel = 0; pixel < 256; ++pixel)
        tables[c][pixel] = narrow<T>(formula(static_cast<double>(pixel)));
    }
    for (std::size_t c = 0; c < lines.size(); ++c) {
      const long double stddev = normalize.stddev[c];
      lines[c] = convert::split_line(normalize.scale / stddev, -normalize.mean[c] / stddev);
    }
    lines_are_exact = agree(lines, tables);
  }

  void convert(PixelFormat format, const Run<T>& run, convert::Stores stores) const {
    if (value_bytes(format) == 2) {
      for (std::size_t c = 0; c < run.channels; ++c) {
        const Formula formula(normalize, colour_of(format, c), widening);
        convert_channel<std::uint16_t>(run, c,
                                       [&](double value) { return narrow<T>(formula(value)); });
      }
    } else if (lines_are_exact && run.channels != 4) {
      const auto ordered =
          format == PixelFormat::bgr8 ? convert::Lines{lines[2], lines[1], lines[0]} : lines;
      // The three lines of grey are the same.
      if (run.channels == 3 && run.pixel_step == 1)
        kernels<T>().planar(run.pixels, run.count, ordered, run.out, run.channel_step, stores);
      else
        kernels<T>().interleaved(run.pixels, run.count * run.channels, ordered, run.out, stores);
    } else {
      for (std::size_t c = 0; c < run.channels; ++c) {
        const auto& table = tables[colour_of(format, c)];
        convert_channel<std::uint8_t>(run, c, [&](std::uint8_t value) { return table[value]; });
      }
    }
  }

  Normalize normalize;
  Tables<T> tables;
  convert::Lines lines;
  bool lines_are_exact;  ///< whether arithmetic on this machine gives the same bits as the tables
};

std::array<ChannelLine, 4> channel_lines(const Normalize& normalize, PixelFormat format) {
  check(normalize);
  check_format(normalize, format);
  const double factor = value_bytes(format) == 2 ? widening : 1;
  std::array<ChannelLine, 4> lines{};
  for (std::size_t c = 0; c < channels_of(format); ++c) {
    const auto colour = colour_of(format, c);
    if (colour == alpha)
      lines[c] = {normalize.scale / factor, 0};
    else
      lines[c] = {normalize.scale / normalize.stddev[colour] / factor,
                  -normalize.mean[colour] / normalize.stddev[colour]};
  }
  return lines;
}

template <Element T>
Converter<T>::Converter(const Normalize& normalize, Layout layout)
    : state_(std::make_shared<const State>(normalize)), layout_(layout) {}

template <Element T>
void Converter<T>::operator()(const PixelBlock& block, std::span<T> out) const {
  check_format(state_->normalize, block.format);
  check_size("PixelBlock::pixels.size()", block.pixels.size(),
             image_bytes(block.shape, block.format), block);
  check_size("out.size()", out.size(), block.values(), block);
  if (out.empty()) return;
  const std::size_t channels = channels_of(block.format),
                    area = std::size_t{block.shape.height} * block.shape.width;
  // Without planes, all images are one run.
  const bool planes = layout_ == Layout::nchw && channels > 1;
  const std::size_t count = planes ? area : area * block.count;
  const auto stores =
      out.size_bytes() >= least_streamed ? convert::Stores::streamed : convert::Stores::cached;
  for (std::size_t first = 0; first < out.size(); first += count * channels) {
    state_->convert(block.format,
                    {block.pixels.data() + first * value_bytes(block.format), count, channels,
                     out.data() + first, planes ? area : 1, planes ? 1 : channels},
                    stores);
  }
}

template <Element T>
std::span<T> Converter<T>::convert_to_begin(const PixelBlock& block, std::span<T> out) const {
  const auto values = mul_sat(block.count, block.values());
  if (out.size() < values)
    refuse(Stage::lease, "out.size() is ", out.size(), ", must be at least ", values, " for ",
           block.count, " images of ", sides(block.shape), " ", to_string(block.format));
  const auto begin = out.first(static_cast<std::size_t>(values));
  (*this)(block, begin);
  return begin;
}

template <Element T>
void Converter<T>::operator()(const ImageView& image, std::span<T> out) const {
  const auto& shape = image.shape;
  const PixelBlock block{{image.data, image.line_bytes() * shape.height}, 1, shape, image.format};
  if (image.row_stride == image.line_bytes()) return (*this)(block, out);
  check_format(state_->normalize, image.format);
  check_size("out.size()", out.size(), image.values(), block);
  const std::size_t channels = channels_of(image.format), width = shape.width;
  const bool planes = layout_ == Layout::nchw && channels > 1;
  for (std::uint32_t y = 0; y < shape.height; ++y) {
    state_->convert(image.format,
                    {image.data + y * image.row_stride, width, channels,
                     out.data() + y * width * (planes ? 1 : channels),
                     planes ? shape.height * width : 1, planes ? 1 : channels},
                    convert::Stores::cached);
  }
}

template class Converter<float>;
template class Converter<float16>;
template class Converter<bfloat16>;

}  // namespace weir
