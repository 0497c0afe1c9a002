#pragma once

#include <functional>
#include <memory>
#include <stop_token>

#include "api/finished_batches.hpp"
#include "api/running_stream.hpp"
#include "conductor/scheduled_supply.hpp"

namespace weir::api {

/// Throws Error{bad_options}.
conductor::Schedule schedule_of(const LoaderState& loader, const StreamOptions& requested);

/// The data of a Stream.
class StreamState final : public RunningStream {
 public:
  StreamState(const std::shared_ptr<LoaderState>& its_loader, const StreamOptions& requested);
  /// A part of a schedule. `batches` learns what is finished, by its place in the schedule.
  StreamState(std::shared_ptr<LoaderState> its_loader,
              std::shared_ptr<const conductor::ScheduledSupply> supply,
              std::shared_ptr<FinishedBatches> batches, const std::stop_token& stop);

  Progress progress(bool all_ranks) const { return progress_reader()(all_ranks); }
  /// The same as a function, which also works when this is gone.
  std::function<Progress(bool all_ranks)> progress_reader() const;

 private:
  /// Charges the intervals of a resumed stream. Throws Error{budget_too_small}.
  void charge_resumed();

  const std::shared_ptr<const conductor::ScheduledSupply> scheduled_;
  const std::shared_ptr<FinishedBatches> batches_;
};

}  // namespace weir::api
