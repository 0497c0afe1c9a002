#pragma once

#include "codec/decoder.hpp"
#include "weir/options.hpp"

namespace weir::plan {

/// The decoder's part of the options. Streams, measure_sizes() and probe() all use this function.
/// Pure.
codec::DecoderOptions decoder_options(const Options& options);

}  // namespace weir::plan
