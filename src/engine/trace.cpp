#include "engine/trace.hpp"

#include <algorithm>
#include <type_traits>

#include "base/text.hpp"
#include "books/accounts.hpp"

namespace weir::engine {

namespace {

std::uint64_t ns(Clock::duration time) noexcept {
  return static_cast<std::uint64_t>(std::chrono::nanoseconds(time).count());
}

}  // namespace

Trace::Trace(const Plan& plan)
    : capacity_(plan.trace_bytes / trace_event_bytes),
      workers_(plan.workers),
      readers_(plan.read_ahead),
      // The pages become resident when events are written. An event of zeros has no kind.
      events_(
          static_cast<Event*>(std::calloc(static_cast<std::size_t>(capacity_), sizeof(Event)))) {
  static_assert(Kind{} == Kind::none && std::is_trivially_destructible_v<Event>);
  if (!events_)
    refuse(Stage::wait, "`trace.events` = ", capacity_, ": the system refuses the ",
           plan.trace_bytes, " bytes for them");
}

std::int64_t Trace::since_start(Clock::time_point at) const noexcept {
  return std::chrono::nanoseconds(at - start_).count();
}

void Trace::note(Kind kind, std::uint8_t what, Track track, Clock::time_point at,
                 const Values& value) noexcept {
  const auto index = noted_.fetch_add(1, std::memory_order_relaxed);
  if (index >= capacity_) return;
  Event& event = events_[static_cast<std::size_t>(index)];
  event.what = what;
  event.track = track;
  event.at_ns = since_start(at);
  event.value = value;
  event.kind.store(kind, std::memory_order_release);
}

std::span<const Account> Trace::accounts(Kind kind, std::size_t first) noexcept {
  static constexpr auto of_slabs = books::accounts_of<true>();
  static constexpr auto of_samples = books::accounts_of<false>();
  const std::span<const Account> all =
      kind == Kind::slab_bytes ? std::span<const Account>(of_slabs) : of_samples;
  const auto from = std::min(first, all.size());
  return all.subspan(from, std::min(values_an_event, all.size() - from));
}

Trace::Values Trace::bytes(std::span<const Account> accounts,
                           const MemorySnapshot& memory) noexcept {
  Values values{};
  for (std::size_t i = 0; i < accounts.size(); ++i) values[i] = memory[accounts[i]];
  return values;
}

void Trace::note_bytes(Kind kind, const MemorySnapshot& memory, Clock::time_point at) noexcept {
  for (std::size_t first = 0; !accounts(kind, first).empty(); first += values_an_event)
    note(kind, static_cast<std::uint8_t>(first), 0, at, bytes(accounts(kind, first), memory));
}

void Trace::sample(Stage stage, Track track, Clock::time_point begun, Clock::time_point ended,
                   books::RowKey row, std::uint64_t index) noexcept {
  note(Kind::sample, static_cast<std::uint8_t>(stage), track, begun,
       {ns(ended - begun), row.sequence, row.row, index});
}

void Trace::batch(Of what, const buffer::Slab& slab, Clock::time_point begun,
                  Clock::time_point ended) noexcept {
  note(Kind::batch, static_cast<std::uint8_t>(what), this->slab(slab.id), begun,
       {ns(ended - begun), slab.sequence, 0, 0});
}

void Trace::thread(Of what, Track track, Clock::time_point begun, Clock::time_point ended,
                   std::uint64_t batch) noexcept {
  note(Kind::thread, static_cast<std::uint8_t>(what), track, begun,
       {ns(ended - begun), batch, 0, 0});
}

void Trace::move(const Setting& to, std::size_t text) noexcept {
  note(Kind::move, 0, tuning(), Clock::now(), {to.max_queue_size, to.workers, to.read_ahead, text});
}

void Trace::sample_bytes(const books::Book& book) noexcept {
  const auto memory = book.snapshot().memory;
  note_bytes(Kind::sample_bytes, memory, Clock::now());
}

void Trace::queue(const books::Book& book) noexcept {
  const auto now = book.snapshot();
  const auto at = Clock::now();
  note(Kind::queue, 0, 0, at, {now.filling, now.ready, now.leased, 0});
  note_bytes(Kind::slab_bytes, now.memory, at);
}

}  // namespace weir::engine
