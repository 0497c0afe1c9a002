#include "api/stream_state.hpp"

#include <utility>

#include "base/checked.hpp"
#include "source/size_order.hpp"

namespace weir::api {

StreamState::StreamState(const std::shared_ptr<LoaderState>& its_loader,
                         const StreamOptions& requested)
    : StreamState(its_loader,
                  std::make_shared<conductor::ScheduledSupply>(its_loader->schedule(requested),
                                                               its_loader->sampler()),
                  std::make_shared<FinishedBatches>(its_loader->core->plan.max_leases),
                  requested.stop) {}

StreamState::StreamState(std::shared_ptr<LoaderState> its_loader,
                         std::shared_ptr<const conductor::ScheduledSupply> supply,
                         std::shared_ptr<FinishedBatches> batches, const std::stop_token& stop)
    : RunningStream(std::move(its_loader), "Loader::stream", "Stream::next"),
      scheduled_(std::move(supply)),
      batches_(std::move(batches)) {
  charge_resumed();
  const auto omitted = scheduled_->schedule().omitted_without_batch();
  if (omitted > 0 && scheduled_->first() == 0) loader->core->book->omit(omitted);
  begin(loader->plan_stream(scheduled_), batches_, scheduled_->first(), stop);
}

void StreamState::charge_resumed() {
  const auto& resumed = scheduled_->schedule();
  const auto& core = *loader->core;
  const auto window = [&](std::uint64_t batch) {
    return source::SizeOrder::memory_bytes(core.plan.epoch.positions, core.source.size(), batch,
                                           core.plan.sizes.bucket_batches);
  };
  const auto batch = std::uint64_t{core.plan.batch} * core.plan.ranks.world;
  // The loader's index has the window of its own batches.
  const auto more = sub_floor(window(resumed.most_bucket_rows()), window(batch));
  const auto bytes = add_sat(resumed.bytes(), more);
  if (bytes > 0) charge(bytes, "StreamOptions::resume", "unfinished positions");
}

Progress StreamState::progress(bool all_ranks) const {
  return loader->progress(scheduled_->schedule().progress(batches_->read(), all_ranks));
}

}  // namespace weir::api
