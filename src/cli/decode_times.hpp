#pragma once

#include <optional>

#include "cli/interrupt.hpp"
#include "weir/options.hpp"
#include "weir/source.hpp"

namespace weir::cli {

/// Decode times with one option changed, as multiples of the time with the given options.
struct DecodeTimes {
  std::optional<double> fast;               ///< with Decode::fast; empty if it is set already
  std::optional<double> without_antialias;  ///< empty if antialias is off
};

/// Decodes the same few samples with each variant in turns, for about half a second. Empty members
/// if no sample can be read and decoded.
DecodeTimes measure_decodes(const AnySource& source, const Options& options,
                            const Interrupt& interrupt);

}  // namespace weir::cli
