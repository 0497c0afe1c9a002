#pragma once

#include <string>

#include "report/json.hpp"
#include "weir/advice.hpp"

namespace weir::report {

/// What repeated runs of each depth show: the one decision that sentence, marks, charts and the next
/// command follow. `runs` is the JSON of each run. Returns
/// - `by_depth`: for each depth of a plan the number of runs, their seconds, the median, least and
///   most samples/s (of four runs or more without the slowest and the fastest quarter), the index of
///   the run closest to the median, whether the depth is slower than the fastest one beyond noise,
///   and its mark in tables and charts;
/// - `conclusion`: `max_queue_size`, the smallest depth that is not slower; the `spread`, most over
///   least samples/s, of the depths that are not slower; a sentence.
///
/// A depth is slower if its most is below the least of the fastest depth, and its median is lower by
/// 2 %. A spread above 1.2 is too noisy: then there are no marks and no depth, and `rounds` is the
/// number of rounds to repeat with. Fewer than three runs of a depth allow no decision. If a run
/// failed, there is no conclusion (null).
Json sweep_summary(const Json& runs);

/// A table with a line for each depth: the run closest to the median, and the spread of all runs.
/// The other tables compare it with its prediction. `runs` is the JSON of each run, with
/// `predicted`.
std::string sweep_text(const Json& runs, const Json& summary);

/// Adds the prediction from `interval` to the measurements in `run`.
void put_prediction(Json& run, const Interval& interval);

/// Sets the predicted limit of any depth with the workers and reads ahead of the sweep, unless a depth
/// exceeded it. Returns false if they exceeded it by so much that `interval` is no basis for advice.
bool put_limit(Json& json, const Interval& interval);

}  // namespace weir::report
