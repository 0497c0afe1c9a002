#include <algorithm>
#include <tuple>
#include <utility>

#include "advice/simulation.hpp"
#include "conductor/pull.hpp"

namespace weir::advice {

void Simulation::advance(Actor& actor) {
  set_reading(actor, 0);
  if (actor.phase == Phase::reading) {
    actor.phase = Phase::idle;
    actor.row->has_bytes = true;
    if (actor.reader && work_.read_cpu_s <= 0) {
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

void Simulation::pull(Actor& actor) {
  while (take(actor)) {
    if (start(actor)) return;
  }
  if (book_->someone_waits()) {
    actor.row->encoded.trim();
    actor.scratch.trim();
  }
  (actor.reader ? idle_readers_ : idle_workers_).push_back(&actor);
}

bool Simulation::take(Actor& actor) {
  if (actor.done < actor.run.count) {
    begin_row(actor);
    return true;
  }
  if (actor.done > 0 && now_ > actor.run_begun)
    actor.most_rows = conductor::rows_in_a_run(now_ - actor.run_begun, actor.done);
  actor.run = {};
  actor.done = 0;
  const auto task = actor.reader ? queue_.next_read() : queue_.next_work(actor.most_rows);
  if (!task) return false;
  if (task->runs_low) waker_->wake();
  if (task->sample) {
    take_over(actor, *task->sample);
  } else {
    actor.run = task->run;
    actor.run_begun = now_;
    begin_row(actor);
  }
  return true;
}

void Simulation::take_over(Actor& actor, Row& row) {
  Row& before = *std::exchange(actor.row, &row);
  if (book_->someone_waits()) before.encoded.trim();
  free_.push_back(&before);
  if (const auto granted = std::exchange(row.granted, {}); granted.bytes > 0)
    (row.account == Account::encoded ? row.encoded : actor.scratch).adopt(granted, granted.bytes);
}

void Simulation::begin_row(Actor& actor) {
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

bool Simulation::start(Actor& actor) {
  Row& row = *actor.row;
  if (row.missed == 0 && actor.reader) {
    arrive(actor);
    return false;
  }
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
  schedule(id_of(actor), nanoseconds(work_.read_wait_s * reads));
  return true;
}

bool Simulation::compute(Actor& actor) {
  const auto& [number, samples, missed] =
      std::tie(actor.row->number, actor.row->samples, actor.row->missed);
  // The samples that are decoded. The others are copied.
  const double decoded = work_.kept == Cache::decoded ? missed : 1;
  if (!actor.reader && decoded > 0 && !admit(actor, actor.scratch, work_.scratch_bytes)) {
    park(actor);
    return false;
  }
  const double decode = actor.reader
                            ? 0
                            : work_.decode_s * work_.decode.sum(number, samples) * decoded +
                                  work_.copy_s * samples * (1 - decoded);
  const double reads = work_.read.sum(number, samples) * missed;
  double read = 0;
  if (actor.reader || plan_.read_ahead == 0) read += work_.read_cpu_s * reads;
  if (fused_) read += work_.read_wait_s * reads;
  const double service = decode + read;
  if (!actor.reader && read > 0) set_reading(actor, read / service);
  seize_core(actor, std::max<Time>(nanoseconds(service), 1));
  return true;
}

void Simulation::seize_core(Actor& actor, Time for_time) {
  actor.phase = Phase::computing;
  actor.core_time = for_time;
  if (free_cores_ == 0) {
    for_core_.push_back(&actor);
  } else {
    --free_cores_;
    schedule(id_of(actor), for_time);
  }
}

void Simulation::release_core() {
  if (for_core_.empty()) {
    ++free_cores_;
    return;
  }
  const Actor& next = *for_core_.front();
  for_core_.pop_front();
  schedule(id_of(next), next.core_time);
}

// ---- rows ------------------------------------------------------------------------------------

bool Simulation::admit(Actor& actor, buffer::Block& block, std::uint64_t bytes) {
  // All bytes count as `beside`: they are charged, but not allocated.
  if (!bounded_ || block.ensure(0, bytes, actor.row->row, nullptr)) return true;
  if (&block != &actor.scratch) actor.scratch.trim();
  trim_idle();
  return block.ensure(0, bytes, actor.row->row, actor.row);
}

void Simulation::park(Actor& actor) {
  auto& run = actor.run;
  if (!actor.reader && actor.done < run.count)
    queue_.add({run.slab, run.sequence, run.first + actor.done, run.count - actor.done});
  run = {};
  actor.done = 0;
  Row& waiter = *std::exchange(actor.row, &fresh_row());
  queue_.park(&waiter);
  book_->park(waiter);
}

void Simulation::arrive(Actor& actor) { queue_.arrived(std::exchange(actor.row, &fresh_row())); }

void Simulation::finish(Actor& actor) {
  Row& row = *actor.row;
  if (actor.scratch.reserve() || book_->someone_waits()) actor.scratch.trim();
  if (row.encoded.reserve() || book_->someone_waits()) row.encoded.trim();
  book_->finish_row(row.slab, row.row.row, true, false);
}

Simulation::Row& Simulation::fresh_row() {
  if (free_.empty()) return rows_.emplace_back(*book_);
  Row& row = *free_.back();
  free_.pop_back();
  return row;
}

}  // namespace weir::advice
