#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cli/interrupt.hpp"
#include "cli/settings.hpp"
#include "report/figures.hpp"
#include "weir/advice.hpp"
#include "weir/source.hpp"

namespace weir::cli {

/// One short run, measured once it is warm.
struct Measured {
  report::Run run;  ///< from beginning to end
  /// Of the warm part; plan and consumer are those asked for. Empty: too short.
  std::optional<Window> window;
  Verdict verdict;  ///< of the setting and the consumer asked for
};

/// Drains `source` as `settings` say, in a shuffled order over as many epochs as it takes, until the
/// mean times of a read and a decode are known to about 2 % (standard error) or `most_samples` were
/// consumed, after a second and eight batches at the least and a few seconds at the most.
Measured measure(const AnySource& source, const Settings& settings, const Interrupt& interrupt,
                 std::uint64_t most_samples = UINT64_MAX);

/// What would bound the setting of `window.plan`, where the window was measured with another: by the
/// simulation's clocks.
Verdict prediction(const Window& window);

/// A run from beginning to end as evidence: empty where it is too short, where its knobs moved, or where
/// nothing is predicted of it (sizes that differ, a cache that fills).
std::optional<Window> evidence(const Report& figures);

/// `around` with shallower and deeper queues, by depth, as far as the budget holds them.
std::vector<Prediction> by_depth(const Window& window, const Setting& around);

}  // namespace weir::cli
