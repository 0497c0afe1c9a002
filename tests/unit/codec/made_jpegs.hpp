#pragma once

#include <random>

#include "rectangles.hpp"

namespace weir::codec::test {

/// How a file is made at random, to be entered at its restart markers.
struct MadeJpeg {
  std::uint32_t width, height, channels;
  JpegStyle style;
};

/// Sizes up to `most`. Each sampling that weir documents, and a few others.
MadeJpeg draw_jpeg(std::mt19937& random, std::uint32_t most);

/// The windows of a file, decoded in a part and as a whole.
struct Compared {
  std::size_t windows = 0, parts = 0, differ = 0;
};
/// `jpeg` in parts, beside `original` as a whole: the same coefficients.
Compared compare_windows(const Encoded& jpeg, const Encoded& original, int windows,
                         std::mt19937& random);
Compared compare_windows(const MadeJpeg& made, int windows, std::mt19937& random);
/// Of so many files. Every `large_every`-th one has sides up to `large`, the others up to 70.
Compared compare_files(std::uint64_t files, std::uint64_t large_every, std::uint32_t large,
                       int windows, unsigned seed);

}  // namespace weir::codec::test
