#pragma once

#include "base/defect.hpp"
#include "codec/window.hpp"
#include "weir/options.hpp"

namespace weir::engine {

/// Calls Options::window for a sample and checks what it says. `seed`: Options::seed; `attempt`:
/// failures of the row. The defect shows the rectangle, or what the function has thrown.
Result<Window> own_window(const WindowOptions& options, WindowInput input, std::uint64_t seed,
                          std::uint32_t attempt);

}  // namespace weir::engine
