#include "unit/conductor/model.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

#include "buffer/slab_pool.hpp"

namespace weir::test {

Model::Model(const Scenario& scenario, Choices& choices)
    : scenario_(scenario),
      sampler_(scenario.samples, scenario.order, 7),
      scheduled_(scenario.schedule(), sampler_),
      choices_(choices),
      limits_{scenario.workers, scenario.read_ahead, scenario.max_queue_size, scenario.rows_ahead},
      may_fail_(scenario.may_fail),
      pace_changes_(scenario.pace_changes),
      tunings_(scenario.tunings) {
  const auto& s = scenario_;
  const auto floor = (1 + s.max_leases) * s.slab_bytes + s.sample_bytes;
  const auto slabs = s.max_queue_size + s.max_leases;
  ledger_ = std::make_shared<books::Ledger>(floor + s.spare_bytes);
  book_ = std::make_shared<books::Book>(
      ledger_,
      books::ShareLimits{floor, s.sample_bytes, s.slab_bytes, s.encoded_cap, slabs, s.batch});
  book_->begin_stream(waker_);
  const conductor::Policy policy{.max_queue_size = s.max_queue_size,
                                 .rows_ahead = s.rows_ahead,
                                 .tolerance = {s.tolerate, 1.0},
                                 .max_queue_bytes = s.max_queue_bytes,
                                 .max_staging_bytes = s.max_staging_bytes};
  if (s.asks > 0)
    requests_ = std::make_unique<conductor::RequestList>(
        book_, conductor::RequestList::Bounds{s.most_outstanding, s.batch, s.dataset});
  const conductor::Supply& supply =
      requests_ ? static_cast<const conductor::Supply&>(*requests_) : scheduled_;
  conductor_ = std::make_unique<conductor::Conductor>(*book_, supply, policy, *this);
  batches_.resize(slabs);
  slab_bytes_.resize(slabs);
  for (std::uint32_t i = 0; i < s.workers + s.read_ahead; ++i)
    workers_.emplace_back(*book_, i, i >= s.workers);
  if (s.cache_moves > 0) {
    keeper_ = std::make_unique<Keeper>(*this);
    keeper_->moves = s.cache_moves;
  }
  neighbour_.moves = s.neighbour_moves;
  if (neighbour_.moves > 0) {
    neighbour_.book = std::make_shared<books::Book>(
        ledger_, books::ShareLimits{0, 0, 1 + s.spare_bytes / 2, UINT64_MAX, 1, 1});
    neighbour_.book->begin_stream(neighbour_.waker);
  }
}

Model::~Model() = default;

std::string Model::run() {
  while (!over()) {
    if (step_ > 100'000) return "no end in sight";
    if (auto broken = step(); !broken.empty()) return broken;
  }
  if (!cancelled_ && published_ != batches_expected(scenario_)) return "it ended at another batch";
  return finish_stream();
}

bool Model::over() const { return told_left_ && closed_ && ready_.empty() && leases_.empty(); }

std::string Model::step(bool again) {
  ++step_;
  if (!find_movers()) return "deadlock at step " + std::to_string(step_);
  if (!again && !scenario_.watch_peak) {
    ledger_->reset_peak();
    peak_ = book_->snapshot().memory.live;
  }
  move(movers_[choices_.below(movers_.size())]);
  if (again) return {};
  breach(check());
  check_idle_strand();
  return broken_;
}

bool Model::find_movers() {
  movers_.clear();
  const bool all_left = std::ranges::all_of(workers_, &Worker::left);
  if (waker_->pending || (halted_ && all_left && !told_left_)) movers_.push_back(strand);
  const bool may_ask = asked_ < scenario_.asks && outstanding_.size() < scenario_.most_outstanding;
  if (may_ask && !closed_) movers_.push_back(ask);
  if (asked_enough()) movers_.push_back(cancel);
  const bool room = leases_.size() < scenario_.max_leases || cancelled_;
  if (!ready_.empty() && room) movers_.push_back(take);
  if (!leases_.empty()) movers_.push_back(release);
  if (keeper_ && keeper_->must_release()) movers_.push_back(release_piece);
  for (std::uint32_t i = 0; i < workers_.size(); ++i)
    if (can_move(workers_[i])) movers_.push_back(first_worker + i);
  // A stream must not need a cancel or another loader to continue.
  if (movers_.empty()) return false;
  if (!cancelled_ && !asked_enough() && step_ > scenario_.cancel_from) movers_.push_back(cancel);
  if (neighbour_.moves > 0 && (!neighbour_.waits || neighbour_.waker->pending))
    movers_.push_back(neighbour);
  if (keeper_ && keeper_->can_hold()) movers_.push_back(hold);
  if (pace_changes_ > 0 && !halted_) movers_.push_back(pace);
  if (tunings_ > 0 && !halted_) movers_.push_back(tune);
  return true;
}

void Model::move(std::uint32_t actor) {
  switch (actor) {
    case strand: return move_strand();
    case take: return take_batch();
    case release: return release_batch(static_cast<std::size_t>(choices_.below(leases_.size())));
    case cancel:
      end_requests();
      cancelled_ = closed_ = true;
      return book_->cancel();
    case ask: return ask_for_batch();
    case neighbour: return move_neighbour();
    case release_piece: return keeper_->release();
    case hold: return keeper_->hold();
    case pace:
      --pace_changes_;
      quick_ = !quick_;
      return;
    case tune: return change_limits();
    default: return move_worker(workers_[actor - first_worker]);
  }
}

// ---- the strand ------------------------------------------------------------------------------

void Model::move_strand() {
  if (std::exchange(waker_->pending, false)) {
    const auto stop = book_->queue().stop;
    conductor_->set_bounds(limits_.max_queue_size, limits_.rows_ahead);
    conductor_->step();
    while (slabs_made_ > limits_.max_queue_size + scenario_.max_leases && book_->idle_slab())
      free_idle_slab();
    intolerable_ |= book_->queue().stop != stop;
    return;
  }
  told_left_ = true;
  for (auto& batch : batches_) {
    if (!std::exchange(batch.filling, false)) continue;
    tally_.dropped += batch.slot.rows - batch.lost;
    tally_.in_flight -= batch.slot.rows - batch.lost;
  }
  unfinished_.clear();
  conductor_->workers_left();
  if (!conductor_->at_rest()) breach("not at rest at the end");
}

std::optional<books::SlabId> Model::make_slab(std::uint64_t bytes) {
  free_idle_slabs();
  const auto free = std::ranges::find(slab_bytes_, 0);
  if (free == slab_bytes_.end()) {
    breach("no place for a slab, though the queue is not full");
    return std::nullopt;
  }
  if (!book_->try_charge_slab(bytes)) return std::nullopt;
  ++acts_;
  ++slabs_made_;
  *free = bytes;
  const auto slab = static_cast<books::SlabId>(free - slab_bytes_.begin());
  book_->add_slab(slab, bytes);
  return slab;
}

void Model::free_idle_slab() noexcept {
  const auto slab = *book_->idle_slab();
  ++acts_;
  --slabs_made_;
  slab_bytes_[slab] = 0;
  book_->remove_slab(slab);
}

void Model::free_idle_slabs() noexcept {
  while (book_->idle_slab()) free_idle_slab();
}

void Model::trim_idle() noexcept {
  for (auto& worker : workers_) {
    if (!worker.listed) continue;
    worker.scratch.trim();
    worker.sample->encoded.trim();
  }
  for (const auto& sample : free_) sample->encoded.trim();
}

void Model::open(books::SlabId slab, const conductor::BatchSlot& batch) {
  ++acts_;
  if (batch.sequence != opened_++) breach("order: batches are opened out of sequence");
  if (slab_bytes_[slab] < bytes_of(batch)) breach("a batch is opened on a slab that is too small");
  if (requests_) check_request(batch);
  batches_[slab] = {batch, 0, 0, true};
  for (std::uint32_t row = 0; row < batch.rows; ++row) unfinished_.insert({batch.sequence, row});
  tally_.drawn += batch.rows;
  tally_.in_flight += batch.rows;
  tally_.omitted += batch.omitted;
  if (scenario_.sizes_differ) {
    std::uint32_t row = 0;
    while (row < batch.rows && !has_no_sample(scenario_, batch.sequence, row)) ++row;
    if (row < batch.rows) {
      stop_row_ = std::min(stop_row_, {batch.sequence, row});
      book_->stop_at({batch.sequence, row});
    }
  }
  feed_.add({slab, batch.sequence, 0, batch.rows});
}

void Model::resume(books::Waiter& waiter) {
  ++acts_;
  waiting_.erase(waiter.row);
  const auto parked = parked_.find(waiter.row);
  if (parked == parked_.end()) return breach("bytes were granted to one that had not let go");
  const bool has_bytes = parked->second->next == Next::decode;
  auto& next = has_bytes || limits_.read_ahead == 0 ? to_decode_ : to_read_;
  next[waiter.row] = std::move(parked->second);
  parked_.erase(parked);
}

void Model::publish(books::SlabId slab) noexcept {
  ++acts_;
  auto& batch = batches_[slab];
  if (!std::exchange(batch.filling, false)) breach("a batch was handed over twice");
  if (batch.slot.sequence != published_++) breach("order: batches are handed over out of sequence");
  if (!(books::RowKey{batch.slot.sequence, 0} < stop_row_) ||
      batch.slot.sequence == stop_row_.sequence)
    breach("a batch behind the stop was handed over");
  published_faults_ += batch.faults;
  if (published_faults_ > scenario_.tolerate) breach("more faults than are tolerated");
  const auto samples = samples_of(slab);
  tally_.in_flight -= samples;
  tally_.ready += samples;
  ready_.push_back(slab);
}

void Model::halt() noexcept {
  ++acts_;
  halted_ = true;
  feed_.clear();
}

void Model::end(conductor::End why) noexcept {
  ++acts_;
  closed_ = true;
  switch (why) {
    case conductor::End::cancelled:
      if (!cancelled_) breach("ended by a cancel that nobody asked for");
      break;
    case conductor::End::complete:
      if (requests_ || published_ != scheduled_.end()) breach("complete, with batches left");
      check_positions();
      break;
    case conductor::End::stopped:
      if (published_ != stop_row_.sequence) breach("stopped at another batch than its fault's");
      break;
    case conductor::End::too_many_faults:
      const auto front = std::ranges::find_if(batches_, [&](const Batch& batch) {
        return batch.filling && batch.slot.sequence == published_;
      });
      if (front == batches_.end() || published_faults_ + front->faults <= scenario_.tolerate)
        breach("ended by faults that are tolerated");
      break;
  }
}

// ---- the consumer, tuning, and another loader ----------------------------------------------------------

void Model::take_batch() {
  const auto slab = ready_.front();
  ready_.pop_front();
  const auto samples = samples_of(slab);
  tally_.ready -= samples;
  if (book_->lease(slab)) {
    if (batches_[slab].slot.sequence != delivered_++) breach("order");
    if (cancelled_) breach("a lease after the cancel");
    tally_.leased += samples;
    leases_.push_back(slab);
  } else {
    if (!cancelled_) breach("a lease was refused");
    tally_.discarded += samples;
    book_->discard_ready(slab);
  }
}

void Model::release_batch(std::size_t nth) {
  const auto slab = leases_[nth];
  leases_.erase(leases_.begin() + static_cast<std::ptrdiff_t>(nth));
  const auto samples = samples_of(slab);
  const bool consumed = batches_[slab].slot.sequence % 4 != 3;
  tally_.leased -= samples;
  (consumed ? tally_.consumed : tally_.discarded) += samples;
  if (requests_) {
    requests_->finish(batches_[slab].slot.sequence);
    outstanding_.erase(batches_[slab].slot.sequence);
  }
  book_->release(slab, consumed ? books::Parting::consumed : books::Parting::discarded, false);
}

void Model::change_limits() {
  --tunings_;
  const auto up_to = [this](std::uint64_t most) {
    return 1 + static_cast<std::uint32_t>(choices_.below(most));
  };
  limits_ = {.workers = up_to(scenario_.workers),
             .read_ahead = up_to(1 + scenario_.read_ahead) - 1,
             .max_queue_size = up_to(scenario_.max_queue_size),
             .rows_ahead = up_to(scenario_.rows_ahead)};
  trim_idle();
  waker_->wake();
}

bool Model::charge_neighbour() {
  auto& book = *neighbour_.book;
  return book.try_charge_slab() || (book.make_room() && book.try_charge_slab());
}

void Model::move_neighbour() {
  auto& n = neighbour_;
  --n.moves;
  n.waker->pending = false;
  if (n.holds) {
    n.book->discharge(Account::idle, {n.book->limits().slab_bytes, false});
    n.holds = false;
  } else {
    n.holds = charge_neighbour();
    n.waits = !n.holds;
  }
  if (n.moves == 0) {
    if (n.holds) n.book->discharge(Account::idle, {n.book->limits().slab_bytes, false});
    n.holds = n.waits = false;
    n.book->end_stream();
  }
}

}  // namespace weir::test
