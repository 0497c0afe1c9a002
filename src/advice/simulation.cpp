#include "advice/simulation.hpp"

#include <algorithm>
#include <optional>

#include "advice/cpu_share.hpp"
#include "base/checked.hpp"

namespace weir::advice {
namespace {

/// Number of batches before the measurement, so that the initial state of the queue has no effect.
std::uint64_t warm_batches(std::uint32_t depth) { return 16 + 2 * std::uint64_t{depth}; }

/// The simulated depth. A queue longer than one round of batches never fills within that round.
std::uint32_t simulated_depth(const Plan& plan, const Workload& work) {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(plan.max_queue_size, std::max<std::uint64_t>(work.batches / 2, 64)));
}

/// The number of samples that one row stands for.
std::uint32_t group_of(const Plan& plan, const Workload& work) {
  // A worker that ends its last group of a batch late makes the others wait, so groups are small
  // beside what all threads do at once.
  constexpr std::uint32_t groups_per_thread = 8;
  const auto threads = std::max(std::min(plan.workers, work.cores), plan.read_ahead);
  const std::uint64_t groups = std::max(work.least_groups, groups_per_thread * threads);
  return static_cast<std::uint32_t>((work.batch + groups - 1) / groups);
}

/// The same batches with rows of `group` samples.
conductor::Schedule in_groups(const conductor::Schedule& samples, const Workload& work,
                              std::uint32_t group) {
  const auto rows = [group](std::uint64_t count) { return (count + group - 1) / group; };
  const auto full = samples.batches_per_epoch() - 1;
  return conductor::Schedule({.samples = full * rows(work.batch) + rows(samples.at(full).rows),
                              .batch = static_cast<std::uint32_t>(rows(work.batch))},
                             std::nullopt);
}

/// Size of a data set whose short last batches give the workload's mean batch size.
std::uint64_t dataset_size(const Workload& work) {
  constexpr double longest_epoch = 1 << 20;
  // Missing rows per batch, averaged over all batches.
  const double missing = work.batch - work.rows;
  const double batches =
      missing > 0 ? std::clamp(std::floor((work.batch - 1) / missing), 1.0, longest_epoch)
                  : longest_epoch;
  return static_cast<std::uint64_t>(batches) * work.batch -
         static_cast<std::uint64_t>(std::llround(missing * batches));
}

}  // namespace

Simulation::Simulation(const Plan& plan, const Workload& work)
    : plan_(plan),
      work_(work),
      bounded_(plan.budget_bytes != unlimited),
      fused_(!bounded_ && plan.read_ahead == 0 && work.cores >= plan.workers),
      group_(group_of(plan, work)),
      depth_(simulated_depth(plan, work)),
      warm_(warm_batches(depth_)),
      last_(warm_ + work.batches),
      ledger_(std::make_shared<books::Ledger>(plan.budget_bytes)),
      book_(books::Book::open(ledger_, {plan.promised_bytes, plan.max_sample_bytes, plan.slab_bytes,
                                        plan.read_ahead_bytes, depth_ + plan.max_leases,
                                        (plan.batch + group_ - 1) / group_})),
      samples_of_({.samples = dataset_size(work), .batch = work.batch}, std::nullopt),
      supply_(in_groups(samples_of_, work, group_), source::Sampler(1, {}, 0)),
      queue_(plan.workers, plan.read_ahead, depth_ + plan.max_leases,
             2 * std::size_t{plan.workers + plan.read_ahead}),
      free_cores_(work.cores) {
  if (!book_->try_charge(Account::index, plan.index_bytes))
    throw Error(Errc::budget_too_small, Stage::wait, "the budget has no room for the index");
  book_->begin_stream(waker_);
  conductor_ = std::make_unique<conductor::Conductor>(
      *book_, supply_, conductor::Policy{depth_, queue_.rows_ahead(), {}},
      static_cast<conductor::Actions&>(*this));
  actors_.reserve(plan.workers + plan.read_ahead);
  for (std::uint32_t i = 0; i < plan.workers + plan.read_ahead; ++i) {
    auto& actor = actors_.emplace_back(*book_, i >= plan.workers);
    actor.row = &fresh_row();
    (actor.reader ? idle_readers_ : idle_workers_).push_back(&actor);
  }
  // If the queue will be full, start with a full queue. Filling a deep queue would take too long.
  if (work.production_per_s(plan.workers, plan.read_ahead) >= work.consumption_per_s())
    hold_ = depth_;
}

Simulation::~Simulation() { book_->end_stream(); }

Prediction Simulation::run() {
  requesting_ = true;
  settle();
  while (delivered_ < last_) {
    if (work_.stop.stop_requested())
      throw Error(Errc::stopped, Stage::wait, "the prediction was stopped before it had a result");
    if (next_event()) {
      settle();
    } else if (std::exchange(hold_, 0) > 0) {
      settle();  // a tight budget never fills the queue
    } else {
      throw std::logic_error("a simulated stream stands still");
    }
  }
  const double seconds = static_cast<double>(std::max<Time>(now_ - measured_from_, 1)) * 1e-9;
  const auto batches = static_cast<double>(work_.batches);
  // If the simulated queue was full, the real, deeper queue is full too.
  const bool all = slabs_made_ == depth_ + plan_.max_leases;
  return {.setting = setting_of(plan_),
          .samples_per_s = static_cast<double>(samples_) / seconds,
          .consumer_wait = static_cast<double>(waited_) * 1e-9 / seconds,
          .data_readiness = static_cast<double>(found_) / batches,
          .slabs = all ? plan_.slabs : slabs_made_,
          .verdict = verdict(seconds)};
}

// ---- statistics ------------------------------------------------------------------------------

Simulation::Effort Simulation::pace() const noexcept {
  const auto waiting = static_cast<double>(idle_workers_.size());
  Effort pace;
  pace.storage = std::max(0.0, reading_);
  pace.decode = std::max(0.0, plan_.workers - waiting - pace.storage);
  switch (queue_.hold(book_->someone_waits())) {
    case conductor::Hold::bytes: pace.memory = waiting; break;
    case conductor::Hold::slab: (ready_.empty() ? pace.memory : pace.idle) = waiting; break;
    case conductor::Hold::reads: pace.storage += waiting; break;
    case conductor::Hold::rows: pace.idle = waiting; break;
  }
  return pace;
}

void Simulation::pass(Time until) noexcept {
  spent_.add(pace_, static_cast<double>(until - now_));
  now_ = until;
}

void Simulation::end_wait() noexcept {
  const auto waited = static_cast<double>(now_ - requested_at_);
  auto effort = spent_;
  effort.add(spent_before_, -1);
  const double all = effort.storage + effort.decode + effort.memory;
  if (found_ready_ || all <= 0) {
    stalled_.decode += waited;
  } else {
    stalled_.storage += waited * effort.storage / all;
    stalled_.decode += waited * effort.decode / all;
    stalled_.memory += waited * effort.memory / all;
  }
}

Verdict Simulation::verdict(double seconds) const {
  QueueWaits clocks;
  clocks.seconds = seconds;
  clocks.consumer_wait_s = static_cast<double>(waited_) * 1e-9;
  clocks.storage_wait_s = stalled_.storage * 1e-9;
  clocks.decode_wait_s = stalled_.decode * 1e-9;
  clocks.memory_wait_s = stalled_.memory * 1e-9;
  clocks.device_wait_s = stalled_.device * 1e-9;
  clocks.workers = {.read_s = spent_.storage * 1e-9,
                    .decode_s = spent_.decode * 1e-9,
                    .memory_wait_s = spent_.memory * 1e-9,
                    .idle_s = spent_.idle * 1e-9};
  clocks.cpu = scaled(work_.cpu, clocks.workers.decode_s);
  return judge(clocks);
}

// ---- time ------------------------------------------------------------------------------------

void Simulation::schedule(std::uint32_t actor, Time in) {
  events_.emplace(now_ + in, ++order_, actor);
}

bool Simulation::next_event() {
  if (events_.empty()) return false;
  const auto [at, order, actor] = events_.top();
  events_.pop();
  pass(at);
  if (actor == consumer()) {
    ask();
  } else if (actor == device()) {
    end_copy();
  } else {
    advance(actors_[actor]);
  }
  return true;
}

void Simulation::settle() {
  const auto start_idle = [this](std::vector<Actor*>& idle) {
    while (!idle.empty()) {
      Actor& actor = *idle.back();
      idle.pop_back();
      pull(actor);
      // It is back in the idle list and has started no work for others.
      if (actor.phase == Phase::idle) return;
    }
  };
  do {
    if (std::exchange(waker_->pending, false)) conductor_->step();
    start_idle(idle_readers_);
    start_idle(idle_workers_);
    // Checks again, because a worker may have used read bytes and so allowed a new read.
    if (queue_.may_begin_read()) start_idle(idle_readers_);
    hand_over();
  } while (waker_->pending);
  pace_ = pace();
}

// ---- conductor -------------------------------------------------------------------------------

std::optional<books::SlabId> Simulation::make_slab(std::uint64_t bytes) {
  if (slabs_made_ == book_->terms().slabs || !book_->try_charge_slab(bytes)) return std::nullopt;
  book_->add_slab(slabs_made_, bytes);
  return slabs_made_++;
}

void Simulation::trim_idle() noexcept {
  for (const auto* idle : {&idle_workers_, &idle_readers_}) {
    for (auto* actor : *idle) {
      actor->row->encoded.trim();
      actor->scratch.trim();
    }
  }
  for (auto* row : free_) row->encoded.trim();
}

void Simulation::open(books::SlabId slab, const conductor::BatchSlot& batch) {
  queue_.add({slab, batch.sequence, 0, batch.rows});
}

// ---- consumer --------------------------------------------------------------------------------

void Simulation::ask() {
  if (leases_.size() == plan_.max_leases) {
    if (work_.device_s > 0) {
      awaits_device_ = true;
      requested_at_ = now_;
      return;
    }
    book_->release(leases_.front(), books::Parting::consumed, false);
    leases_.pop_front();
  }
  request();
}

void Simulation::end_copy() {
  book_->release(leases_.front(), books::Parting::consumed, false);
  leases_.pop_front();
  if (!std::exchange(awaits_device_, false)) return;
  if (delivered_ >= warm_) {
    stalled_.device += static_cast<double>(now_ - requested_at_);
    waited_ += now_ - requested_at_;
  }
  request();
}

void Simulation::request() {
  requesting_ = true;
  requested_at_ = now_;
  found_ready_ = !ready_.empty();
  spent_before_ = spent_;
}

void Simulation::hand_over() {
  if (!requesting_ || ready_.empty() || ready_.size() < hold_) return;
  hold_ = 0;
  const auto slab = ready_.front();
  ready_.pop_front();
  if (!book_->lease(slab)) return;
  leases_.push_back(slab);
  requesting_ = false;
  if (++delivered_ <= warm_) {
    measured_from_ = now_;
    spent_ = {};
  } else {
    end_wait();
    samples_ += samples_of_.at(delivered_ - 1).rows;
    found_ += found_ready_ ? 1 : 0;
    waited_ += now_ - requested_at_;
  }
  schedule(consumer(), nanoseconds(work_.consumer_s * work_.consumer[delivered_]));
  if (work_.device_s <= 0) return;
  // A device reads one batch after the other, each from its release on.
  device_until_ = std::max(device_until_, now_ + nanoseconds(work_.lease_s)) +
                  nanoseconds(work_.device_s * work_.device[delivered_]);
  schedule(device(), device_until_ - now_);
}

}  // namespace weir::advice
