#pragma once

#include "codec/decoder.hpp"
#include "weir/options.hpp"

namespace weir::plan {

/// The decoder's part of the options. Streams, measure_sizes() and probe() all use this function.
/// Pure.
codec::DecoderOptions decoder_options(const Options& options);

/// The options with sizes.mode as the rows have it: encoded samples are ragged. Pure.
Options with_row_sizes(Options options);
/// Bytes of one value of a row: 1 for encoded samples, otherwise those of a pixel.
constexpr std::uint32_t row_channels(Decode decode) noexcept {
  return decode == Decode::none ? 1 : 3;
}

}  // namespace weir::plan
