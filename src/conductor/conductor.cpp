#include "conductor/conductor.hpp"

#include <algorithm>

#include "base/checked.hpp"

namespace weir::conductor {

Conductor::Conductor(books::Book& book, const Supply& supply, const Policy& policy,
                     Actions& actions)
    : book_(book), supply_(supply), policy_(policy), actions_(actions) {}

void Conductor::step() {
  for (;;) {
    at_rest_ = ended_ && left_;
    if (ended_) return;
    // The books are read once for all decisions. A second read could see a row that finished in
    // between. Then the stream would end with a batch that is complete but not published.
    const auto queue = publish();
    if (queue.cancelled) return finish(End::cancelled);
    if (queue.oldest > queue.stop)
      return finish(intolerable_ ? End::too_many_faults : End::stopped);
    if (next_ >= supply_.end() && queue.filling == 0) return finish(End::complete);
    grant();
    auto opened = Opened::rows;
    while (opened == Opened::rows) opened = open_next(book_.queue());
    // A padding row has no work that would cause another step.
    if (opened == Opened::padding) continue;
    at_rest_ = book_.queue().filling == 0;
    // With enough rows, the workers step the conductor before it needs a slot.
    const bool awaits = actions_.untaken_rows() < policy_.rows_ahead;
    if (awaits == awaits_slots_) return;
    book_.await_slots(awaits_slots_ = awaits);
    if (!awaits) return;  // otherwise a slot that became free before woke nobody
  }
}

books::Book::Queue Conductor::publish() {
  for (;;) {
    const auto queue = book_.queue();
    if (queue.cancelled || !queue.front_complete || queue.front_sequence >= queue.stop.sequence)
      return queue;
    if (queue.front_faults > 0 && !tolerable(queue)) {
      intolerable_ = book_.stop_at({queue.front_sequence, 0});
      continue;
    }
    book_.publish_front();
    actions_.publish(queue.front);
  }
}

bool Conductor::tolerable(const books::Book::Queue& queue) noexcept {
  published_faults_ += queue.front_faults;
  redrawn_ += queue.front_redrawn;
  const auto begun = supply_.samples_begun(supply_.at(queue.front_sequence));
  const auto& tolerance = policy_.tolerance;
  const auto samples = add_sat(begun, redrawn_);
  const auto allowed = tolerance.share * static_cast<double>(samples);
  return published_faults_ <= tolerance.faults && static_cast<double>(published_faults_) <= allowed;
}

void Conductor::grant() {
  for (;;) {
    if (books::Waiter* const waiter = book_.grant_oldest())
      actions_.resume(*waiter);
    else if (!book_.sample_waits() || !book_.make_room())
      return;
  }
}

Conductor::Opened Conductor::open_next(const books::Book::Queue& queue) {
  if (next_ >= supply_.known() || next_ > queue.stop.sequence) return Opened::nothing;
  if (queue.filling + queue.ready >= policy_.max_queue_size || queue.cancelled)
    return Opened::nothing;
  if (actions_.untaken_rows() >= policy_.rows_ahead) return Opened::nothing;
  const auto batch = supply_.at(next_);
  const auto slab = slab_for(batch, queue);
  if (!slab) return Opened::nothing;
  book_.open_batch(*slab, batch.sequence, batch.rows);
  if (batch.omitted > 0) book_.omit(batch.omitted);
  actions_.open(*slab, batch);
  ++next_;
  return batch.rows > 0 ? Opened::rows : Opened::padding;
}

std::optional<books::SlabId> Conductor::slab_for(const BatchSlot& batch,
                                                 const books::Book::Queue& queue) {
  const auto bytes = actions_.bytes_of(batch);
  const bool none_ahead = queue.filling + queue.ready == 0;
  const auto room = none_ahead
                        ? unlimited
                        : std::min(sub_floor(policy_.max_queue_bytes, queue.queue_bytes),
                                   sub_floor(policy_.max_staging_bytes,
                                             add_sat(queue.queue_bytes, queue.leased_bytes)));
  if (bytes > room) {
    // Idle slabs cannot help until there is room, so free them.
    actions_.free_idle_slabs();
    return std::nullopt;
  }
  if (const auto idle = book_.fitting_slab(bytes, room)) return idle;
  if (const auto made = actions_.make_slab(bytes)) return made;
  // Unused blocks may hold the bytes that the slab needs.
  actions_.trim_idle();
  if (const auto made = actions_.make_slab(bytes)) return made;
  return book_.make_room() ? actions_.make_slab(bytes) : std::nullopt;
}

void Conductor::finish(End why) noexcept {
  ended_ = true;
  at_rest_ = false;
  actions_.halt();
  actions_.end(why);
}

void Conductor::fail() noexcept {
  if (!ended_) finish(End::stopped);
}

void Conductor::workers_left() noexcept {
  left_ = true;
  while (book_.queue().filling > 0) book_.drop_front();
  at_rest_ = ended_;
}

}  // namespace weir::conductor
