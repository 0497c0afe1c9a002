#include "weir/loader.hpp"

#include <algorithm>
#include <utility>

#include "api/epochs_state.hpp"
#include "api/identity.hpp"
#include "api/offer.hpp"
#include "api/request_state.hpp"
#include "api/stream_state.hpp"
#include "base/internals.hpp"
#include "base/text.hpp"
#include "weir/advice.hpp"

namespace weir {

Loader::Loader(AnySource source, const Options& options)
    : state_(api::open_loader(source, options)) {}

Stream Loader::stream(const StreamOptions& options) {
  state_->refuse_in_child();
  return Stream(make_kept_in_child<api::StreamState>(state_, options));
}

Epochs Loader::epochs(std::uint64_t count, const EpochOptions& how) {
  return epochs(StreamOptions{.epochs = count}, how);
}

Epochs Loader::epochs(const StreamOptions& options, const EpochOptions& how) {
  state_->refuse_in_child();
  return Epochs(make_kept_in_child<api::EpochsState>(state_, options, how));
}

Requests Loader::requests(const RequestOptions& options) {
  state_->refuse_in_child();
  return Requests(make_kept_in_child<api::RequestState>(state_, options));
}

const Plan& Loader::plan() const noexcept { return state_->plan; }
MemoryLedger& Loader::ledger() noexcept { return *state_->ledger; }
std::uint64_t Loader::size() const noexcept { return state_->source.size(); }
std::uint64_t Loader::batches_per_epoch() const noexcept { return plan().epoch.batches; }
Progress Loader::progress_after(std::uint64_t steps) const {
  const auto schedule = api::schedule_of(*state_, {.epochs = std::nullopt});
  return state_->progress(schedule.progress({{0, std::min(steps, schedule.end())}}, true));
}
std::vector<Property> Loader::identity(const StreamOptions& stream) const {
  state_->refuse_in_child();
  return api::identity_of(*state_, stream);
}
std::vector<std::string> Loader::class_names() const { return state_->source.class_names(); }
std::string Loader::name(std::uint64_t index) const {
  if (index >= size())
    refuse(Stage::lease, "Loader::name(index = ", index, "): the source has ", size(), " samples");
  return state_->source.name(index);
}

Snapshot Loader::snapshot() const {
  state_->refuse_in_child();
  auto snapshot = state_->book->snapshot();
  const auto knobs = state_->knobs.get();
  snapshot.setting = knobs.now;
  snapshot.setting_before = knobs.before;
  snapshot.slabs = state_->pool->bytes();
  return snapshot;
}

Report Loader::report() const { return state_->report(); }

void Loader::write_trace(std::ostream& out) const {
  state_->refuse_in_child();
  const auto& state = *state_;
  if (!state.trace)
    refuse(Stage::handoff,
           "Loader::write_trace: `trace.events` = 0: no trace was kept; set it to the number "
           "of events to keep");
  state.trace->write(out, *state.book, state.source, state.moves.read());
}

BatchStream::BatchStream(std::shared_ptr<api::RunningStream> state) noexcept
    : state_(std::move(state)) {}

std::optional<Batch> BatchStream::next() {
  return state_->next(std::nullopt, engine::Handoff::Lease::at_once);
}

std::optional<Batch> BatchStream::next(std::chrono::steady_clock::duration timeout) {
  return state_->next(api::deadline_after(timeout), engine::Handoff::Lease::wait);
}

std::optional<Batch> BatchStream::try_next() {
  return state_->next(Clock::now(), engine::Handoff::Lease::at_once);
}

bool BatchStream::finished() const noexcept {
  return state_->away() || state_->running->handoff().finished();
}

void BatchStream::cancel() noexcept {
  if (!state_->away()) state_->running->handoff().cancel();
}

Stream::Stream(std::shared_ptr<api::StreamState> state) noexcept : BatchStream(std::move(state)) {}

void Stream::async_next(BatchTaker take) {
  if (!take) refuse(Stage::lease, "Stream::async_next: take is empty");
  state_->refuse_strangers("Stream::async_next");
  Lock lock(state_->consumer);
  state_->running->handoff().ask(
      [state = state_.get(), take = std::move(take)](std::exception_ptr error, buffer::Slab* slab) {
        const api::Offer offer(slab);
        take(std::move(error), slab ? std::optional(Internals::make<Batch>(
                                          state->loader->pool, *slab, state->receipt_of(*slab)))
                                    : std::nullopt);
      });
}

void Stream::set_queue_size(std::uint32_t n) {
  state_->set("Stream::set_queue_size", "queue.max_queue_size", &Setting::max_queue_size, n);
}

void Stream::set_workers(std::uint32_t n) {
  state_->set("Stream::set_workers", "workers", &Setting::workers, n);
}

void Stream::settle() {
  state_->refuse_strangers("Stream::settle");
  Lock lock(state_->settler);
  state_->running->handoff().settle();
}

Progress Stream::progress() const {
  return static_cast<const api::StreamState&>(*state_).progress(false);
}
Progress Stream::progress_of_all() const {
  return static_cast<const api::StreamState&>(*state_).progress(true);
}

}  // namespace weir
