#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/interrupt.hpp"
#include "cli/settings.hpp"
#include "report/figures.hpp"
#include "report/json.hpp"
#include "weir/advice.hpp"
#include "weir/source.hpp"

namespace weir::cli {

/// A short run and its measurement after the warm-up.
struct Measured {
  report::Run run;  ///< the whole run, with the warm-up
  /// The measurement after the warm-up, with the requested plan and consumer. Empty if the run was
  /// too short.
  std::optional<Interval> interval;
  /// Whether the run had another setting or consumer, so that a verdict is predicted.
  bool predicted = false;
};

/// Drains `source` as `settings` specify, in shuffled order and over as many epochs as necessary.
/// Ends when the mean times of a read and a decode are known to about 2 % (standard error), or when
/// `most_samples` were consumed. Takes at least one second and eight batches, and at most a few
/// seconds.
Measured measure(const AnySource& source, const Settings& settings, const Interrupt& interrupt,
                 std::uint64_t most_samples = UINT64_MAX);

/// Which of the sizes of --schedule is measured: sets "measured_size", and returns a sentence.
std::string put_measured_size(report::Json& json, const Settings& settings);

/// The predicted verdict for the setting of `interval.plan`, from the times of a simulation. It is
/// for an interval that was measured with another setting.
Verdict prediction(const Interval& interval);

}  // namespace weir::cli
