#include "api/stream_state.hpp"

#include <utility>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "conductor/progress.hpp"
#include "plan/size_plan.hpp"
#include "source/size_order.hpp"

namespace weir::api {

conductor::Schedule schedule_of(const LoaderState& loader, const StreamOptions& requested) {
  const auto first = requested.resume && !requested.resume->epochs.empty()
                         ? requested.resume->epochs.front().first
                         : requested.first_epoch;
  plan::try_epochs(loader.options, first, requested.epochs.value_or(first));
  if (requested.first_epoch > conductor::most_epoch)
    refuse(Stage::wait, "`StreamOptions::first_epoch` = ", requested.first_epoch, ": must be 0 to ",
           conductor::most_epoch);
  // As with `resume`: what is started once more after its end has nothing to do, but 1 is the default.
  const auto epochs = requested.epochs.value_or(unlimited);
  if (!requested.resume && requested.first_epoch > 0 &&
      (epochs < requested.first_epoch || epochs == 1))
    refuse(Stage::wait, "`StreamOptions::first_epoch` = ", requested.first_epoch,
           ": nothing is left, because `StreamOptions::epochs` = ", *requested.epochs,
           " counts from the beginning of the training; set `StreamOptions::epochs` = ",
           requested.first_epoch + 1, " or more, or `std::nullopt`");
  if (!requested.resume) return {loader.batching, requested.epochs, requested.first_epoch};
  const std::string what = "`StreamOptions::resume`";
  if (requested.first_epoch != 0)
    refuse(Stage::wait, "`StreamOptions::first_epoch` = ", requested.first_epoch,
           ": must be 0 with resume, which says where to begin");
  conductor::check(*requested.resume, what);
  conductor::check_same(*requested.resume, loader.progress({}), what, "in this loader");
  conductor::check_buckets(*requested.resume, loader.batching.buckets, what, "in this loader");
  conductor::check_epochs(*requested.resume, requested.epochs, what);
  return {loader.batching, requested.epochs, *requested.resume};
}

StreamState::StreamState(const std::shared_ptr<LoaderState>& its_loader,
                         const StreamOptions& requested)
    : StreamState(its_loader,
                  std::make_shared<conductor::ScheduledSupply>(schedule_of(*its_loader, requested),
                                                               its_loader->sampler),
                  std::make_shared<FinishedBatches>(its_loader->plan.max_leases), requested.stop) {}

StreamState::StreamState(std::shared_ptr<LoaderState> its_loader,
                         std::shared_ptr<const conductor::ScheduledSupply> supply,
                         std::shared_ptr<FinishedBatches> batches, const std::stop_token& stop)
    : RunningStream(std::move(its_loader), "Loader::stream", "Stream::next"),
      scheduled_(std::move(supply)),
      batches_(std::move(batches)) {
  if (scheduled_->schedule().resumed()) charge_resumed();
  const auto omitted = scheduled_->schedule().omitted_without_batch();
  if (omitted > 0 && scheduled_->first() == 0) loader->book->omit(omitted);
  begin(scheduled_, loader->sampler, scheduled_->first(), stop,
        [batches = batches_](std::uint64_t batch) {
          batches->add_all({batch, batch + 1});
        });
}

void StreamState::charge_resumed() {
  const auto& resumed = scheduled_->schedule();
  const auto& plan = loader->plan;
  const auto window = [&](std::uint64_t batch) {
    return source::SizeOrder::memory_bytes(plan.epoch.positions, loader->source.size(), batch,
                                           plan.sizes.bucket_batches);
  };
  // The loader's index has the window of its own batches.
  const auto more =
      sub_floor(window(resumed.most_bucket_rows()), window(loader->batching.global_batch()));
  const auto bytes = add_sat(resumed.bytes(), more);
  if (bytes > 0) charge(bytes, "`StreamOptions::resume`", "unfinished positions");
}

std::function<Progress(bool)> StreamState::progress_reader() const {
  return [state = loader, supply = scheduled_, finished = batches_](bool all_ranks) {
    state->refuse_in_child();
    return state->progress(supply->schedule().progress(finished->read(), all_ranks));
  };
}

}  // namespace weir::api
