#pragma once

#include <string>

#include "report/json.hpp"

namespace weir::report {

/// What repeated runs of each depth show. `runs` is the JSON of each run. Returns `by_depth`: for
/// each requested depth the number of runs, their seconds, the median, least and most samples/s,
/// whether it is slower than the fastest depth beyond noise, and the index of the run closest to
/// the median; and `conclusion`: the smallest depth that is not slower, and a sentence. A depth is
/// slower beyond noise if all of its runs are slower than all runs of the fastest depth, and its
/// median is lower by 2 %. Fewer than three runs of a depth allow no conclusion. If a run failed,
/// there is none (null).
Json sweep_summary(const Json& runs);

/// A table with a line for each depth: the run closest to the median, and the spread of all runs.
/// The other tables compare it with its prediction. `runs` is the JSON of each run, with
/// `predicted`.
std::string sweep_text(const Json& runs, const Json& summary);

}  // namespace weir::report
