#pragma once

#include <vector>

#include "report/pictures.hpp"
#include "weir/batch.hpp"
#include "weir/options.hpp"
#include "weir/source.hpp"

namespace weir::observe {

/// Copies of the first four rows of a batch, reduced to at most 160 pixels a side and 144 KiB
/// together, for the page. Empty for encoded samples.
std::vector<report::PicturedRow> pictures_of(const Batch& batch, const AnySource& source,
                                             const Options& options);

}  // namespace weir::observe
