#include "engine/engine.hpp"

#include <algorithm>
#include <chrono>
#include <sstream>
#include <string>
#include <utility>

#include "base/checked.hpp"
#include "base/machine/thread_cpus.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "conductor/pull.hpp"
#include "plan/loader_bytes.hpp"

namespace weir::engine {

namespace {

constexpr auto row_record_bytes = sizeof(Row) + sizeof(RowSample);
static_assert(LoaderStats::worker_bytes() + sizeof(RowWorker) + sizeof(RowPlan) +
                  3 * row_record_bytes + sizeof(ThreadActivity) + codec::decoder_object_bytes <=
              plan::worker_record_bytes);
static_assert(sizeof(RowPlan) + 4 * sizeof(RowSample) <= plan::partner_record_bytes);
static_assert(sizeof(RowWorker) + 4 * row_record_bytes + sizeof(ThreadActivity) <=
              plan::reader_record_bytes);

/// Begins the stream in the books. The conductor's constructor already reads them.
books::Book& begun(books::Book& book, const std::shared_ptr<Strand>& strand) {
  book.begin_stream(strand);
  return book;
}

// Copying a batch takes about a millisecond; a check takes one to two microseconds.
constexpr auto ends_interval = std::chrono::microseconds(250);

/// The stream that this thread belongs to.
thread_local const Engine* own_engine = nullptr;

}  // namespace

Engine::Engine(LoaderState& loader, std::shared_ptr<const conductor::Supply> supply,
               const source::Sampler& order)
    : loader_(loader),
      strand_(std::make_shared<Strand>()),
      shared_(loader_, std::move(supply), order, strand_),
      handoff_(shared_),
      conductor_(begun(*loader_.book, strand_), *shared_.supply, loader_.policy, *this) {
  try {
    if (loader_.options.sizes.vary())
      batch_sizes_.emplace(
          source::SizeOrder(order, loader_.size_index, loader_.plan.sizes.bound,
                            shared_.supply->most_bucket_rows(), loader_.plan.sizes.bucket_batches),
          shared_.supply,
          conductor::BatchSizes::Rules{loader_.plan.sizes.mode, loader_.plan.batch,
                                       loader_.pool->layout().alignment,
                                       loader_.pool->layout().form, loader_.options.faults.policy,
                                       loader_.plan.sizes.multiple_of, loader_.size});
    loader_.stats.stream_opened(loader_.plan.start.workers, Clock::now());
    if (const auto& after = loader_.options.watchdog.after; after && after->count() > 0) {
      watchdog_.emplace(shared_, saturated(*after));
      next_look_ = Clock::now() + watchdog_->interval();
    }
    start_threads(loader_.plan.start);
    strand_->start([this](bool own_thread) { step(own_thread); },
                   [this] { return between_steps(); });
  } catch (...) {
    shut_down();
    throw;
  }
  strand_->wake();
}

Engine::~Engine() { shut_down(); }

void Engine::shut_down() noexcept {
  if (std::exchange(down_, true)) return;
  handoff_.cancel();
  shared_.work_queue.halt();
  for (auto& thread : threads_) thread.join();
  strand_->stop();
  // Leases whose ends are reached go back now. Nothing looks for the others before the loader ends.
  static_cast<void>(loader_.pool->look());
  handoff_.close();
  handoff_.serve(true);
  handoff_.discard();
  conductor_.workers_left();
  loader_.book->end_stream();
  loader_.stats.stream_ended(Clock::now());
}

void Engine::adopt_this_thread() const noexcept { own_engine = this; }

void Engine::refuse_own_thread(const char* call) const {
  if (own_engine == this)
    refuse(Stage::lease, call,
           ": called by a thread of the stream's own (from a Source, a codec or a "
           "callback), which would wait for itself");
}

// ---- the strand ------------------------------------------------------------------------------

std::optional<Clock::time_point> Engine::between_steps() {
  handoff_.look_for_ends();
  std::optional<Clock::time_point> next;
  if (loader_.pool->ending() > 0) next = Clock::now() + ends_interval;
  if (!watchdog_) return next;
  if (const auto now = Clock::now(); now >= next_look_) {
    look_for_stalls(now);
    next_look_ = now + watchdog_->interval();
  }
  return next ? std::min(*next, next_look_) : next_look_;
}

void Engine::look_for_stalls(Clock::time_point now) {
  Watchdog::Known known;
  if (handoff_.cancelled()) {
    if (present_.load() == 0) return;
    if (!stopping_) stopping_ = now;
    known.stops = stopping_;
  }
  known.all_opened = conductor_.all_opened();
  known.waits_for_lease = handoff_.lease_awaited();
  known.has_request = handoff_.has_request();
  try {
    watchdog_->look(known, now);
  } catch (...) {
    // The user's callback threw, or there is no memory for the message. The stream continues,
    // because this was only a report.
  }
}

void Engine::step(bool own_thread) {
  adopt_this_thread();
  const auto begun = Clock::now();
  const auto requested = handoff_.rests_requested();
  const auto depth = loader_.knobs.get().now.max_queue_size;
  try {
    if (shared_.failed.load()) conductor_.fail();
    conductor_.set_bounds(depth, shared_.work_queue.rows_ahead());
    conductor_.step();
    loader_.pool->shrink(depth + loader_.plan.max_leases);
  } catch (...) {
    shared_.error.offer(books::no_row, std::current_exception());
    conductor_.fail();
  }
  shared_.work_queue.note();
  if (conductor_.ended() && !left_ && present_.load() == 0) {
    left_ = true;
    conductor_.workers_left();
  }
  if (loader_.trace) {
    loader_.trace->thread(Trace::Of::step, Trace::conductor, begun, Clock::now(), 0);
    loader_.trace->queue(*loader_.book);
  }
  // A delivered batch frees a queue slot. A worker leaves the taker to the strand's thread.
  const bool again = own_thread ? handoff_.serve(false) : handoff_.has_taker();
  if (again) strand_->wake();
  handoff_.step_ended(!again && conductor_.at_rest(), requested);
}

std::uint64_t Engine::bytes_of(const conductor::BatchSlot& batch) {
  return loader_.size_index ? batch_sizes_->of(batch).layout.bytes : loader_.pool->layout().bytes;
}

std::optional<books::SlabId> Engine::make_slab(std::uint64_t bytes) {
  const auto* const slab = loader_.pool->make(bytes);
  if (!slab) return std::nullopt;
  loader_.stats.deepen(slab->id + 1);
  return slab->id;
}

void Engine::open(books::SlabId id, const conductor::BatchSlot& batch) {
  auto& slab = loader_.pool->slab(id);
  slab.sequence = batch.sequence;
  slab.epoch = batch.epoch;
  slab.samples = batch.rows;
  slab.rows = std::max(1u, batch.rows);
  slab.global_rows = batch.global_rows;
  slab.last = batch.last;
  if (batch_sizes_) {
    loader_.pool->lay_out(slab, batch_sizes_->of(batch));
    if (const auto& [row, error] = batch_sizes_->failed(); error) {
      shared_.error.offer({batch.sequence, row}, error);
      loader_.book->stop_at({batch.sequence, row});
    }
  }
  slab.since = Clock::now();
  if (batch.rows == 0) return buffer::SlabRow(slab, 0).pad();
  shared_.work_queue.open({id, batch.sequence, 0, batch.rows});
}

void Engine::publish(books::SlabId slab) noexcept { handoff_.publish(loader_.pool->slab(slab)); }

void Engine::halt() noexcept {
  shared_.stopping.store(true);
  shared_.work_queue.halt();
}

void Engine::end(conductor::End why) noexcept {
  if (why == conductor::End::too_many_faults) {
    const auto& tolerance = loader_.policy.tolerance;
    shared_.error.offer({}, error_of(Errc::too_many_faults, Stage::handoff, [&] {
                          std::ostringstream text;
                          text << "more faults than allowed by";
                          if (tolerance.faults != UINT64_MAX)
                            text << " `faults.tolerate` = " << tolerance.faults;
                          if (tolerance.faults != UINT64_MAX && tolerance.share < 1) text << " and";
                          if (tolerance.share < 1)
                            text << " `faults.tolerate_share` = " << tolerance.share;
                          return text.str();
                        }));
  }
  handoff_.close();
}

// ---- workers and readers ---------------------------------------------------------------------

void Engine::apply(const Setting& setting) {
  loader_.cover_threads(setting.workers, setting.read_ahead);
  shared_.work_queue.make_room(setting.workers, setting.read_ahead);
  start_threads(setting);
  shared_.work_queue.limit(setting.workers, setting.read_ahead);
  strand_->wake();
}

void Engine::start_threads(const Setting& setting) {
  // A thread that has started must find its place without an allocation.
  threads_.reserve(std::max(setting.workers, workers_begun_) +
                   std::max(setting.read_ahead, readers_begun_));
  for (; workers_begun_ < setting.workers; ++workers_begun_)
    start(RowWorker::Duty::decode, workers_begun_);
  for (; readers_begun_ < setting.read_ahead; ++readers_begun_)
    start(RowWorker::Duty::read, readers_begun_);
  if (const auto now = loader_.knobs.get().now; now != setting) loader_.knobs.set({setting, now});
}

void Engine::start(RowWorker::Duty duty, std::uint32_t number) {
  const bool decodes = duty == RowWorker::Duty::decode;
  ThreadActivity* const activity = watchdog_ ? &watchdog_->add_activity() : nullptr;
  auto& thread_stats = decodes ? loader_.stats.worker(number) : loader_.stats.others();
  const auto track = !loader_.trace ? 0
                     : decodes      ? loader_.trace->worker(number)
                                    : loader_.trace->reader(number);
  auto& rows = *rows_.emplace_back(
      std::make_unique<RowWorker>(shared_, duty, thread_stats, track, activity));
  present_.fetch_add(1);
  try {
    threads_.push_back(start_thread([this, decodes, number, &rows] {
      adopt_this_thread();
      try {
        decodes ? work(rows, number) : read_ahead(rows);
      } catch (...) {
        shared_.fail(std::current_exception());
      }
      if (present_.fetch_sub(1) == 1) strand_->wake();
    }));
  } catch (...) {
    present_.fetch_sub(1);
    shared_.work_queue.recycle(rows.memory().give_up());
    rows_.pop_back();
    if (watchdog_) watchdog_->drop_activity();
    throw;
  }
}

void Engine::work(RowWorker& rows, std::uint32_t worker) {
  const auto cpu = loader_.stats.worker_cpu();
  std::uint32_t most_rows = 1;
  for (;;) {
    auto task =
        shared_.work_queue.take_work(rows.memory().idle(), worker, most_rows, rows.take_reads());
    if (!task) return;
    if (task->runs_low) strand_->run_step();
    const auto begun = Clock::now();
    if (task->sample) {
      rows.take_over(std::move(task->sample));
      (void)rows.run();  // after any outcome the row has left this thread
      rows.post_copied();
      if (rows.take_step_due()) strand_->run_step();
      continue;
    }
    const auto& run = task->run;
    std::uint32_t done = 0;
    RowOutcome outcome = RowOutcome::done;
    // Where rows take long, others take the rest.
    while (done < run.count && outcome == RowOutcome::done &&
           rows.worked_ns() < conductor::long_work_ns) {
      outcome = rows.begin(run, run.first + done);
      if (outcome == RowOutcome::proceed) outcome = rows.run();
      if (rows.take_step_due()) strand_->run_step();
      ++done;
    }
    rows.post_copied();
    if (rows.take_step_due()) strand_->run_step();
    if (outcome != RowOutcome::abandoned && done < run.count)
      shared_.work_queue.put_back({run.slab, run.sequence, run.first + done, run.count - done});
    // A refusal takes no time.
    if (const auto took = Clock::now() - begun; outcome == RowOutcome::done && took.count() > 0)
      most_rows = conductor::rows_in_a_run(std::chrono::nanoseconds(took).count(), done, most_rows);
  }
}

void Engine::read_ahead(RowWorker& rows) {
  auto& queue = shared_.work_queue;
  ThreadCpus cpus;
  const ThreadCpus::Member counted(cpus);
  std::chrono::nanoseconds without_cpu{};  // until the last long read
  while (auto task = queue.take_read(rows.memory().idle())) {
    if (task->runs_low) strand_->run_step();
    RowOutcome outcome = RowOutcome::proceed;
    if (task->sample) {
      rows.take_over(std::move(task->sample));
    } else {
      outcome = rows.begin(task->run, task->run.first);
      rows.memory().row().ahead = true;
    }
    if (outcome == RowOutcome::proceed) outcome = rows.run();
    auto reads = rows.take_reads();
    // Many readers wait for few CPUs. Those waits are not the storage's.
    if (reads.took_ns > 2 * conductor::ReadPace::quick_ns) {
      const auto waited = cpus.total().waited.value_or(without_cpu);
      reads.took_ns -= std::min<std::int64_t>(
          reads.took_ns, (waited - std::exchange(without_cpu, waited)).count());
    }
    if (rows.take_step_due()) strand_->run_step();
    if (outcome == RowOutcome::done) queue.lost(rows.memory().row());
    if (outcome == RowOutcome::proceed) queue.arrived(rows.memory().hand_over(), reads);
  }
}

}  // namespace weir::engine
