#pragma once

#include <functional>
#include <string>

#include "cli/interrupt.hpp"
#include "cli/settings.hpp"
#include "report/figures.hpp"
#include "weir/loader.hpp"
#include "weir/source.hpp"

namespace weir::cli {

/// Called after each batch; false: that is enough.
using AfterBatch = std::function<bool(const Loader&)>;

/// One Loader from construction to its end, drained as `settings` say. What ends the stream early
/// is in Run::error; what refuses the Loader is thrown. `label` heads the progress.
report::Run drive(const AnySource& source, const Settings& settings, const Interrupt& interrupt,
                  const std::string& label, const AfterBatch& after_batch = {});

}  // namespace weir::cli
