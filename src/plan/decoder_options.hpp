#pragma once

#include "codec/decoder.hpp"
#include "weir/options.hpp"

namespace weir::plan {

/// How samples are judged and decoded: the one reading of the options, for streams, for measuring
/// sizes and for probe(). Pure.
codec::DecoderOptions decoder_options(const Options& options);

}  // namespace weir::plan
