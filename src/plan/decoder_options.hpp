#pragma once

#include "buffer/columns.hpp"
#include "codec/decoder.hpp"
#include "weir/options.hpp"
#include "weir/plan.hpp"

namespace weir::plan {

/// The decoder's part of the options. Streams, measure_sizes() and probe() all use this function.
/// Pure.
codec::DecoderOptions decoder_options(const Options& options);

/// The options with sizes.mode as the rows have it: encoded samples are ragged. Pure.
Options with_row_sizes(Options options);
/// What a row consists of. Pure.
buffer::RowForm row_form(const Options& options);
buffer::RowForm row_form(const Plan& plan);

}  // namespace weir::plan
