#pragma once

#include <deque>
#include <functional>
#include <string>

#include "cli/interrupt.hpp"
#include "cli/settings.hpp"
#include "report/figures.hpp"
#include "weir/loader.hpp"
#include "weir/source.hpp"

namespace weir::cli {

class MpiJob;

/// What the consumer has, after it has taken a batch.
struct Taken {
  const Loader& loader;
  const Stream& stream;
  const std::deque<Batch>& held;  ///< the last one is new
};
/// Called after each batch. Returns false to end the run.
using AfterBatch = std::function<bool(const Taken&)>;

/// Constructs a Loader, drains it as `settings` specify, and destroys it. An error of the stream is
/// stored in Run::error. An error of the constructor is thrown. `label` starts the progress line.
/// The ranks of `job`, if any, are compared before the run and save their progress after it.
report::Run drive(const AnySource& source, const Settings& settings, const Interrupt& interrupt,
                  const std::string& label, const AfterBatch& after_batch = {},
                  const MpiJob* job = nullptr);

}  // namespace weir::cli
