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

std::shared_ptr<books::Book> open_book(const Plan& plan, const Workload& work,
                                       std::uint32_t depth) {
  const auto group = SimulatedThreads::group_of(plan, work);
  auto book = std::make_shared<books::Book>(
      std::make_shared<books::Ledger>(plan.budget_bytes.value_or(unlimited)),
      books::ShareLimits{plan.promised_bytes, plan.max_sample_bytes, plan.slab_bytes,
                         plan.read_ahead_bytes.value_or(unlimited), depth + plan.max_leases,
                         (plan.batch + group - 1) / group});
  if (!book->try_charge(Account::index, plan.index_bytes))
    throw Error(Errc::budget_too_small, Stage::wait, "the budget has no room for the index");
  return book;
}

}  // namespace

Simulation::Simulation(const Plan& plan, const Workload& work)
    : plan_(plan),
      work_(work),
      depth_(simulated_depth(plan, work)),
      warm_(warm_batches(depth_)),
      last_(warm_ + work.batches),
      book_(open_book(plan, work, depth_)),
      samples_of_({.samples = dataset_size(work), .batch = work.batch}, std::nullopt),
      supply_(in_groups(samples_of_, work, SimulatedThreads::group_of(plan, work)),
              source::Sampler(1, {}, 0)),
      threads_(plan, work, samples_of_, *book_, agenda_, *waker_),
      conductor_(*book_, supply_, {depth_, threads_.rows_ahead(), {}}, *this) {
  book_->begin_stream(waker_);
  // If the queue will be full, start with a full queue. Filling a deep queue would take too long.
  if (work.production_per_s(plan.workers, plan.read_ahead) >= work.consumption_per_s())
    hold_ = depth_;
}

Simulation::~Simulation() { book_->end_stream(); }

Prediction Simulation::run() {
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
  const double seconds =
      static_cast<double>(std::max<Time>(agenda_.now() - measured_from_, 1)) * 1e-9;
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

void Simulation::end_wait() noexcept {
  const auto waited = static_cast<double>(agenda_.now() - requested_at_);
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

bool Simulation::next_event() {
  const auto before = agenda_.now();
  const auto actor = agenda_.next();
  if (!actor) return false;
  spent_.add(pace_, static_cast<double>(agenda_.now() - before));
  if (*actor == consumer()) {
    ask();
  } else if (*actor == device()) {
    end_copy();
  } else {
    threads_.advance(*actor);
  }
  return true;
}

void Simulation::settle() {
  do {
    if (std::exchange(waker_->pending, false)) conductor_.step();
    threads_.start_idle();
    hand_over();
  } while (waker_->pending);
  pace_ = threads_.pace(!ready_.empty());
}

// ---- conductor -------------------------------------------------------------------------------

std::optional<books::SlabId> Simulation::make_slab(std::uint64_t bytes) {
  if (slabs_made_ == book_->limits().slabs || !book_->try_charge_slab(bytes)) return std::nullopt;
  book_->add_slab(slabs_made_, bytes);
  return slabs_made_++;
}

// ---- consumer --------------------------------------------------------------------------------

void Simulation::ask() {
  if (leases_.size() == plan_.max_leases) {
    if (work_.device_s > 0) {
      awaits_device_ = true;
      requested_at_ = agenda_.now();
      return;
    }
    release_oldest();
  }
  request();
}

void Simulation::release_oldest() {
  book_->release(leases_.front(), books::Parting::consumed, false);
  leases_.pop_front();
}

void Simulation::end_copy() {
  release_oldest();
  if (!std::exchange(awaits_device_, false)) return;
  if (delivered_ >= warm_) {
    stalled_.device += static_cast<double>(agenda_.now() - requested_at_);
    waited_ += agenda_.now() - requested_at_;
  }
  request();
}

void Simulation::request() {
  requesting_ = true;
  requested_at_ = agenda_.now();
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
    measured_from_ = agenda_.now();
    spent_ = {};
  } else {
    end_wait();
    samples_ += samples_of_.at(delivered_ - 1).rows;
    found_ += found_ready_ ? 1 : 0;
    waited_ += agenda_.now() - requested_at_;
  }
  agenda_.schedule(consumer(), Agenda::nanoseconds(work_.consumer_s * work_.consumer[delivered_]));
  if (work_.device_s <= 0) return;
  // A device reads one batch after the other, each from its release on.
  device_until_ = std::max(device_until_, agenda_.now() + Agenda::nanoseconds(work_.lease_s)) +
                  Agenda::nanoseconds(work_.device_s * work_.device[delivered_]);
  agenda_.schedule(device(), device_until_ - agenda_.now());
}

}  // namespace weir::advice
