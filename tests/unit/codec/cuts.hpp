#pragma once

#include <string>
#include <vector>

#include "encoders.hpp"

namespace weir::codec::test {

struct Sample {
  std::string name;
  Encoded encoded;
};

/// Eight kinds of JPEG, ten of PNG, three of WebP.
std::vector<Sample> every_kind(std::uint32_t width = 40, std::uint32_t height = 30);
/// Other JPEGs: odd sampling, other colours and codings, sizes at the edges of blocks.
std::vector<Sample> more_jpegs();

/// Where to cut a file: after each `step`-th byte, and after every one of its first and last bytes.
std::vector<std::size_t> cuts(const Encoded& encoded, std::size_t step);

/// The number of cuts that `options` do not detect.
std::size_t silent_cuts(const Sample& sample, const DecoderOptions& options, std::size_t step);

/// The results of lenient mode on a truncated file, in memory with two kinds of poison.
struct Leniency {
  std::size_t tried = 0, delivered = 0;
  std::size_t unflagged = 0;  ///< delivered without the status `damaged`
  std::size_t stale = 0;      ///< pixels depend on the earlier contents of memory
};
Leniency deliver_cuts(const Sample& sample, std::size_t step,
                      const std::vector<DecoderOptions>& settings);
/// At approximately its own size, with each fit.
std::vector<DecoderOptions> each_fit();
/// Decoded reduced, filtered, smaller and larger, and at its own size. Strict by default.
std::vector<DecoderOptions> other_settings();

/// A crop that leaves lines above, below and on both sides undecoded.
inline DecoderOptions small_crop() {
  return {.fit = {.out = {4, 4}, .fit = Fit::center, .short_side = 30}};
}
/// The whole image.
inline DecoderOptions whole_image() {
  return {.fit = {.out = {30, 40}, .fit = Fit::stretch}, .exif = Exif::ignore};
}

}  // namespace weir::codec::test
