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

/// Where to cut a file: behind each `step`-th byte, and behind every one of its first and last few.
std::vector<std::size_t> cuts(const Encoded& encoded, std::size_t step);

/// Cuts that `options` do not find.
std::size_t silent_cuts(const Sample& sample, const DecoderOptions& options, std::size_t step);

/// What lenient mode makes of a cut file, into memory of two kinds of poison.
struct Leniency {
  std::size_t tried = 0, delivered = 0;
  std::size_t unflagged = 0;  ///< delivered as if nothing were missing
  std::size_t stale = 0;      ///< pixels depend on what memory held before
};
Leniency deliver_cuts(const Sample& sample, std::size_t step,
                      const std::vector<DecoderOptions>& settings);
/// At about its size, under each fit.
std::vector<DecoderOptions> each_fit();
/// Decoded reduced, filtered, smaller and larger, at its own size; strict where nobody says otherwise.
std::vector<DecoderOptions> other_settings();

/// A crop that leaves lines above, below and on either side undecoded.
inline DecoderOptions small_crop() {
  return {.fit = {.out = {4, 4, 3}, .fit = Fit::center, .short_side = 30}};
}
/// The whole image.
inline DecoderOptions whole_image() {
  return {.fit = {.out = {30, 40, 3}, .fit = Fit::stretch}, .exif = Exif::ignore};
}

}  // namespace weir::codec::test
