#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "buffer/columns.hpp"
#include "codec/decoder.hpp"
#include "source/size_rule.hpp"
#include "weir/options.hpp"
#include "weir/plan.hpp"
#include "weir/source.hpp"

namespace weir::plan {

/// Checks the name of a function. Throws Error{bad_options}.
void check_name(std::string_view option, const std::string& name);
/// Checks `fit` and its options. Throws Error{bad_options}.
void check_fit(const Options& options);
/// Checks `pixels`, `filter` and `fill`. Throws Error{bad_options}.
void check_pixels(const Options& options);
/// Checks `planes`. Throws Error{bad_options}.
void check_planes(const Options& options);

/// The resolved value of Options::short_side for rows of this size.
std::uint32_t short_side(const Options& options, ImageSize row);
/// The fit of the options for rows of this size. Pure.
codec::FitSpec fit_of(const Options& options, ImageSize row);
/// Options::sizes.size with its bounds.
source::SizeRule size_rule(const Options& options);

/// The decoder's part of the options. Streams, measure_sizes() and probe() all use this function.
/// Pure.
codec::DecoderOptions decoder_options(const Options& options);
/// The same for one of its planes.
codec::DecoderOptions decoder_options(const Options& options, const PlaneOptions& plane);

/// The options with sizes.mode as the rows have it: encoded samples are ragged. Pure.
Options with_row_sizes(Options options);
/// The options with a number of annotation_bytes. Throws Error{bad_options} if it is `measured` and the
/// source does not know.
Options with_annotation_bytes(Options options, const AnySource& source);
/// What a row consists of. Pure.
buffer::RowForm row_form(const Options& options);
buffer::RowForm row_form(const Plan& plan);

}  // namespace weir::plan
