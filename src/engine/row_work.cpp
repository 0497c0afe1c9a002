#include "engine/row_work.hpp"

#include <new>
#include <utility>

#include "base/text.hpp"
#include "conductor/batch_sizes.hpp"
#include "engine/kept_row.hpp"
#include "engine/row_plan.hpp"
#include "engine/row_steps.hpp"

namespace weir::engine {

namespace {

using conductor::most_attempts;

/// The index of a row for which the order has no sample.
constexpr std::uint64_t no_index = UINT64_MAX;

/// The fault as text. Empty if there is no memory for it.
std::string record(Core& core, const Sample& s, const Defect& defect) noexcept {
  try {
    const auto fault = fault_of(defect, core.source, s.index, s.epoch);
    auto text = concat(fault.name, ": ", to_string(fault.kind), " (", fault.reason,
                       fault.offset ? concat(" at byte ", *fault.offset) : "", ")");
    core.faults.add(fault);
    return text;
  } catch (...) {
    core.faults.count(defect.kind);
    return {};
  }
}

}  // namespace

RowWork::RowWork(Shared& shared, Duty duty, ThreadStats& thread_stats, Trace::Track track,
                 ThreadActivity* activity)
    : shared_(shared),
      book_(*shared.core.book),
      times_(shared.core, thread_stats, duty == Duty::decode, track, activity),
      memory_(shared) {
  if (duty == Duty::decode) decoder_.emplace(shared.plan.decoder);
}

RowOutcome RowWork::begin(const conductor::RowRun& run, std::uint32_t row) {
  Sample& s = memory_.sample();
  const auto& supply = *shared_.plan.supply;
  const auto batch = supply.at(run.sequence);
  s.row = {run.sequence, row};
  s.slot = RowSlot(shared_.core.pool->slab(run.slab), row);
  s.epoch = batch.epoch;
  s.position = supply.position(batch, batch.first + row);
  s.attempt = 0;
  s.has_bytes = s.ahead = false;
  s.kept.release();
  s.index = s.drawn = no_index;
  if (s.slot.sizes_differ()) {
    // The strand has found the error, and has ended the stream.
    s.index = s.drawn = s.slot.planned_index();
  } else {
    try {
      s.index = s.drawn = supply.index(batch, s.position);
    } catch (...) {
      end_stream_here(std::current_exception());
    }
  }
  if (s.index != no_index) return RowOutcome::proceed;
  finish(false, RowStatus::blank);
  return RowOutcome::done;
}

void RowWork::take_over(SamplePtr next) {
  memory_.take_over(std::move(next));
  if (memory_.sample().granted.bytes == 0) return;
  times_.waited(memory_.sample());
  memory_.take_grant();
}

RowOutcome RowWork::run() {
  for (;;) {
    auto outcome = attempt();
    // An abandoned row must not hold a cache segment, because others may need its bytes.
    if (outcome == RowOutcome::abandoned) memory_.sample().kept.release();
    const auto* const failure = outcome.failure();
    if (!failure) return outcome;
    if (!fail(*failure)) return RowOutcome::done;
  }
}

RowOutcome RowWork::attempt() {
  if (shared_.stopping.load(std::memory_order_relaxed)) return RowOutcome::abandoned;
  try {
    if (!memory_.sample().has_bytes)
      if (auto read = read_row(shared_.core, memory_, times_); read != RowOutcome::proceed)
        return read;
    return decoder_ ? decode() : RowOutcome::proceed;
  } catch (const std::bad_alloc&) {
    return Defect{FaultKind::memory, Stage::decode, {}};  // record() adds the text
  }
}

RowOutcome RowWork::decode() {
  Sample& s = memory_.sample();
  if (has_kept_row(shared_.core, s)) {
    s.slot.copy(s.kept.sample());
  } else {
    const auto begun = Clock::now();
    times_.decode_begins(begun);
    const auto at = times_.at(Stage::decode, s, begun);
    const auto plan = plan_row(shared_, *decoder_, s);
    if (!plan) return plan.defect();
    if (auto admitted = memory_.admit(plan->need()); admitted != RowOutcome::proceed)
      return admitted;
    auto written =
        write_row(shared_, *plan, *decoder_, memory_.scratch(plan->need().scratch), s, times_);
    if (written != RowOutcome::proceed) return written;
    times_.decode_ends(s, s.slot.image().shape.values() + s.slot.side().size());
    keep(shared_, s, plan->need());
  }
  finish(true, s.attempt > 0 ? RowStatus::replaced : s.status);
  return RowOutcome::done;
}

bool RowWork::fail(const Failure& failure) noexcept {
  Sample& s = memory_.sample();
  const auto& [defect, thrown] = failure;
  const auto described = record(shared_.core, s, defect);
  ++s.attempt;
  s.has_bytes = false;
  switch (shared_.plan.on_fault) {
    case OnFault::blank: s.slot.blank(); break;
    case OnFault::skip:
      try {
        if (!redraw(s)) {
          end_stream_here(error_of(Errc::too_many_faults, defect.stage, [&] {
            return concat("row ", s.row.row, " of batch ", s.row.sequence, " failed ",
                          most_attempts, " times, last with ", described);
          }));
          break;
        }
      } catch (...) {
        end_stream_here(std::current_exception());
        break;
      }
      // The failed attempt may hold the reserve, and the replacement may need all of it.
      memory_.release();
      book_.fail_and_redraw(s.slot.slab());
      return true;
    case OnFault::stop:
      end_stream_here(thrown ? thrown : error_of(Errc::sample_failed, defect.stage, [&] {
        if (described.empty()) throw std::bad_alloc();
        return described;
      }));
      break;
  }
  finish(false, RowStatus::blank);
  return false;
}

bool RowWork::redraw(Sample& s) const {
  for (; s.attempt < most_attempts; ++s.attempt) {
    s.index = shared_.plan.sampler.replacement_of(s.drawn, s.epoch, s.position, s.attempt);
    if (!s.slot.encoded() || (*shared_.plan.size_index)[s.index].width <= s.slot.room().width)
      return true;
  }
  return false;
}

void RowWork::end_stream_here(const std::exception_ptr& error) {
  // Set the error first. The conductor may end the stream as soon as it sees the stop.
  shared_.error.offer(memory_.sample().row, error);
  book_.stop_at(memory_.sample().row);
}

void RowWork::finish(bool ok, RowStatus status) {
  const Sample& s = memory_.sample();
  s.slot.end(s.index, status);
  memory_.release();
  times_.bytes();
  book_.finish_row(s.slot.slab(), s.row.row, ok, status == RowStatus::replaced);
}

}  // namespace weir::engine
