#pragma once

#include <functional>
#include <string>

#include "cli/interrupt.hpp"
#include "cli/settings.hpp"
#include "report/figures.hpp"
#include "weir/loader.hpp"
#include "weir/source.hpp"

namespace weir::cli {

/// Called after each batch. Returns false to end the run.
using AfterBatch = std::function<bool(const Loader&)>;

/// Constructs a Loader, drains it as `settings` specify, and destroys it. An error of the stream is
/// stored in Run::error. An error of the constructor is thrown. `label` starts the progress line.
report::Run drive(const AnySource& source, const Settings& settings, const Interrupt& interrupt,
                  const std::string& label, const AfterBatch& after_batch = {});

}  // namespace weir::cli
