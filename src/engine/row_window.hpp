#pragma once

#include "base/defect.hpp"
#include "codec/window.hpp"
#include "weir/options.hpp"

namespace weir::engine {

/// The window of a sample. Options::window chooses it, or else `fit` with the random key `draw`. `input`
/// need not have its row. `attempt`: failures of the sample. The defect shows the rectangle that
/// Options::window gave, or what it has thrown.
Result<Window> row_window(const Options& options, const codec::FitSpec& fit,
                          const WindowInput& input, std::uint64_t draw, std::uint32_t attempt);

}  // namespace weir::engine
