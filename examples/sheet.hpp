#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>
#include <weir/image.hpp>

#include "png.hpp"

/// The words of a command line, without `--picture FILE`.
struct PictureArguments {
  std::vector<std::string> words;
  std::string path;  ///< FILE; empty: no picture

  PictureArguments(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
      if (std::string_view(argv[i]) == "--picture" && i + 1 < argc)
        path = argv[++i];
      else
        words.emplace_back(argv[i]);
    }
  }
};

/// A picture of square cells in lines and columns.
class Sheet {
 public:
  /// Red, green, blue.
  using Colour = std::array<std::uint8_t, 3>;

  Sheet(std::uint32_t lines, std::uint32_t columns, std::uint32_t side)
      : lines_(lines),
        columns_(columns),
        side_(side),
        pixels_(std::size_t{3} * lines * side * columns * side) {}

  std::uint32_t columns() const { return columns_; }
  /// Paints a cell with `colour_at(y, x)`.
  template <class ColourAt>
  void paint(std::uint64_t line, std::uint64_t column, const ColourAt& colour_at) {
    for (std::uint32_t y = 0; y < side_; ++y)
      for (std::uint32_t x = 0; x < side_; ++x) {
        const Colour colour = colour_at(y, x);
        const auto row = line * side_ + y;
        std::ranges::copy(colour, &pixels_[3 * (row * columns_ * side_ + column * side_ + x)]);
      }
  }
  /// Writes a PNG.
  void write(const std::string& path) const {
    const auto png = write_png(PngKind::rgb, columns_ * side_, lines_ * side_, pixels_);
    std::ofstream out(path, std::ios::binary);
    out.write(reinterpret_cast<const char*>(png.data()), static_cast<std::streamsize>(png.size()));
    if (!out.flush()) throw std::runtime_error("cannot write " + path);
  }

 private:
  std::uint32_t lines_, columns_, side_;
  std::vector<std::uint8_t> pixels_;
};

/// The colour of a pixel of an `rgb8` image.
inline Sheet::Colour colour_of(const weir::ImageView& image, std::uint32_t y, std::size_t x) {
  const auto line = image.line_as<std::uint8_t>(y);
  return {line[3 * x], line[3 * x + 1], line[3 * x + 2]};
}
