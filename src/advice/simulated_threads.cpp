#include "advice/simulated_threads.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/checked.hpp"
#include "conductor/pull.hpp"

namespace weir::advice {

std::uint32_t SimulatedThreads::group_of(const Plan& plan, const Workload& work) noexcept {
  // A worker that ends its last group of a batch late makes the others wait, so groups are small
  // beside what all threads do at once.
  constexpr std::uint32_t groups_per_thread = 8;
  const auto threads = std::max(std::min(plan.workers, work.cores), plan.read_ahead);
  const std::uint64_t groups = std::max(work.least_groups, groups_per_thread * threads);
  return static_cast<std::uint32_t>((work.batch + groups - 1) / groups);
}

SimulatedThreads::SimulatedThreads(const Plan& plan, const Workload& work,
                                   const conductor::Schedule& samples, books::Book& book,
                                   Agenda& agenda, Wakeable& conductor)
    : plan_(plan),
      work_(work),
      samples_of_(samples),
      book_(book),
      agenda_(agenda),
      conductor_(conductor),
      bounded_(plan.budget_bytes.has_value()),
      fused_(!bounded_ && work.workers_read(plan.read_ahead) && work.cores >= plan.workers),
      group_(group_of(plan, work)),
      queue_(plan.workers, plan.read_ahead, book.limits().slabs,
             2 * std::size_t{plan.workers + plan.read_ahead}),
      free_cores_(work.cores) {
  actors_.reserve(plan.workers + plan.read_ahead);
  for (std::uint32_t i = 0; i < plan.workers + plan.read_ahead; ++i) {
    auto& actor = actors_.emplace_back(book_, i >= plan.workers);
    actor.row = &fresh_row();
    (actor.reader ? idle_readers_ : idle_workers_).push_back(&actor);
  }
  // The stream is in its steady state.
  queue_.note_reads(
      {conductor::ReadPace::many, Agenda::nanoseconds(work.read_s() * conductor::ReadPace::many)});
}

void SimulatedThreads::start_idle(std::vector<Actor*>& idle) {
  while (!idle.empty()) {
    Actor& actor = *idle.back();
    idle.pop_back();
    pull(actor);
    // It is back in the idle list and has started no work for others.
    if (actor.phase == Phase::idle) return;
  }
}

void SimulatedThreads::start_idle() {
  start_idle(idle_readers_);
  start_idle(idle_workers_);
  // Checks again, because a worker may have used read bytes and so allowed a new read.
  if (queue_.may_begin_read()) start_idle(idle_readers_);
}

SimulatedThreads::Effort SimulatedThreads::pace(bool batch_is_ready) const noexcept {
  const auto waiting = static_cast<double>(idle_workers_.size());
  Effort pace;
  pace.storage = std::max(0.0, reading_);
  pace.decode = std::max(0.0, plan_.workers - waiting - pace.storage);
  switch (queue_.hold(book_.someone_waits())) {
    case conductor::Hold::bytes: pace.memory = waiting; break;
    case conductor::Hold::slab: (batch_is_ready ? pace.idle : pace.memory) = waiting; break;
    case conductor::Hold::reads: pace.storage += waiting; break;
    case conductor::Hold::rows: pace.idle = waiting; break;
  }
  return pace;
}

void SimulatedThreads::trim_idle() noexcept {
  for (const auto* idle : {&idle_workers_, &idle_readers_}) {
    for (auto* actor : *idle) {
      actor->row->encoded.trim();
      actor->scratch.trim();
    }
  }
  for (auto* row : free_) row->encoded.trim();
}

void SimulatedThreads::advance(std::uint32_t thread) {
  auto& actor = actors_[thread];
  set_reading(actor, 0);
  if (actor.phase == Phase::reading) {
    actor.phase = Phase::idle;
    actor.row->has_bytes = true;
    if (actor.reader && work_.read_cpu_s + work_.reader_own_s <= 0) {
      arrive(actor);
    } else if (compute(actor)) {
      return;
    }
  } else {
    actor.phase = Phase::idle;
    release_core();
    if (actor.reader) {
      arrive(actor);
    } else {
      finish(actor);
    }
  }
  pull(actor);
}

void SimulatedThreads::pull(Actor& actor) {
  while (take(actor)) {
    if (start(actor)) return;
  }
  if (book_.someone_waits()) {
    actor.row->encoded.trim();
    actor.scratch.trim();
  }
  (actor.reader ? idle_readers_ : idle_workers_).push_back(&actor);
}

bool SimulatedThreads::take(Actor& actor) {
  if (actor.done < actor.run.count) {
    begin_row(actor);
    return true;
  }
  if (const auto took = agenda_.now() - actor.run_begun; actor.done > 0 && took > 0)
    actor.most_rows = conductor::rows_in_a_run(took, actor.done, actor.most_rows);
  actor.run = {};
  actor.done = 0;
  const auto task = actor.reader ? queue_.next_read() : queue_.next_work(actor.most_rows);
  if (!task) return false;
  if (task->runs_low) conductor_.wake();
  if (task->sample) {
    take_over(actor, *task->sample);
  } else {
    actor.run = task->run;
    actor.run_begun = agenda_.now();
    begin_row(actor);
  }
  return true;
}

void SimulatedThreads::take_over(Actor& actor, Row& row) {
  Row& before = *std::exchange(actor.row, &row);
  if (book_.someone_waits()) before.encoded.trim();
  free_.push_back(&before);
  if (const auto granted = std::exchange(row.granted, {}); granted.bytes > 0)
    (row.account == Account::encoded ? row.encoded : actor.scratch).adopt(granted, granted.bytes);
}

void SimulatedThreads::begin_row(Actor& actor) {
  Row& row = *actor.row;
  row.row = {actor.run.sequence, actor.run.first + actor.done};
  row.slab = actor.run.slab;
  const auto first = row.row.row * group_;
  row.number = row.row.sequence * plan_.batch + first;
  row.samples = std::min(group_, samples_of_.at(row.row.sequence).rows - first);
  row.missed = group_ > 1 ? 1 - work_.hit_share : work_.hits(row.number) ? 0 : 1;
  row.has_bytes = row.missed == 0;
  row.ahead = actor.reader;
  ++actor.done;
}

bool SimulatedThreads::start(Actor& actor) {
  Row& row = *actor.row;
  if (row.missed == 0 && actor.reader && work_.reader_own_s <= 0) {
    arrive(actor);
    return false;
  }
  actor.reads_row = !row.has_bytes;
  if (row.has_bytes) return compute(actor);
  if (!admit(actor, row.encoded, work_.encoded_bytes)) {
    park(actor);
    return false;
  }
  if (fused_ || work_.read_wait_s <= 0) {
    row.has_bytes = true;
    return compute(actor);
  }
  actor.phase = Phase::reading;
  if (!actor.reader) set_reading(actor, 1);
  const double reads = work_.read.sum(row.number, row.samples) * row.missed;
  agenda_.schedule(id_of(actor), Agenda::nanoseconds(work_.read_wait_s * reads));
  return true;
}

bool SimulatedThreads::compute(Actor& actor) {
  const auto& [number, samples, missed] =
      std::tie(actor.row->number, actor.row->samples, actor.row->missed);
  // The samples that are decoded. The others are copied.
  const double decoded = work_.kept == Cache::decoded ? missed : 1;
  if (!actor.reader && decoded > 0 && !admit(actor, actor.scratch, work_.scratch_bytes)) {
    park(actor);
    return false;
  }
  const double decode =
      actor.reader ? 0
                   : work_.decode_s * work_.decodes * work_.decode.sum(number, samples) * decoded +
                         work_.copy_s * samples * (1 - decoded);
  const double reads = work_.read.sum(number, samples) * missed;
  double read = 0;
  if (actor.reads_row) read += work_.read_cpu_s * reads;
  if (actor.reads_row && fused_) read += work_.read_wait_s * reads;
  const double service =
      decode + read + (actor.reader ? work_.reader_own_s : work_.own_s) * samples;
  if (!actor.reader && read > 0) set_reading(actor, read / service);
  seize_core(actor, std::max<Time>(Agenda::nanoseconds(service), 1));
  return true;
}

void SimulatedThreads::seize_core(Actor& actor, Time for_time) {
  actor.phase = Phase::computing;
  actor.core_time = for_time;
  if (free_cores_ == 0) {
    for_core_.push_back(&actor);
  } else {
    --free_cores_;
    agenda_.schedule(id_of(actor), for_time);
  }
}

void SimulatedThreads::release_core() {
  if (for_core_.empty()) {
    ++free_cores_;
    return;
  }
  const Actor& next = *for_core_.front();
  for_core_.pop_front();
  agenda_.schedule(id_of(next), next.core_time);
}

// ---- rows ------------------------------------------------------------------------------------

bool SimulatedThreads::admit(Actor& actor, buffer::Block& block, std::uint64_t bytes) {
  // All bytes count as `beside`: they are charged, but not allocated.
  if (!bounded_ || block.ensure(0, bytes, actor.row->row, nullptr)) return true;
  if (&block != &actor.scratch) actor.scratch.trim();
  trim_idle();
  return block.ensure(0, bytes, actor.row->row, actor.row);
}

void SimulatedThreads::park(Actor& actor) {
  auto& run = actor.run;
  const conductor::RowRun rest{run.slab, run.sequence, run.first + actor.done,
                               run.count - actor.done};
  if (actor.done < run.count) queue_.add(rest);
  run = {};
  actor.done = 0;
  Row& waiter = *std::exchange(actor.row, &fresh_row());
  queue_.park(&waiter);
  book_.park(waiter);
}

void SimulatedThreads::arrive(Actor& actor) {
  queue_.arrived(std::exchange(actor.row, &fresh_row()));
}

void SimulatedThreads::finish(Actor& actor) {
  Row& row = *actor.row;
  if (actor.scratch.reserve() || book_.someone_waits()) actor.scratch.trim();
  if (row.encoded.reserve() || book_.someone_waits()) row.encoded.trim();
  if (book_.finish_rows({.slab = row.slab, .first = row.row.row})) conductor_.wake();
}

SimulatedThreads::Row& SimulatedThreads::fresh_row() {
  if (free_.empty()) return rows_.emplace_back(book_);
  Row& row = *free_.back();
  free_.pop_back();
  return row;
}

}  // namespace weir::advice
