#include <algorithm>
#include <numeric>
#include <utility>

#include "unit/conductor/model.hpp"

namespace weir::test {

books::RowKey Model::oldest() const {
  return unfinished_.empty() ? books::RowKey{opened_, 0} : *unfinished_.begin();
}

std::uint32_t Model::samples_of(books::SlabId slab) const {
  return batches_[slab].slot.rows - batches_[slab].lost;
}

void Model::check_idle_strand() {
  // The release of a piece has not been announced yet.
  if (waker_->pending || offer_due()) return;
  const auto acts = acts_, live = book_->snapshot().memory.live;
  conductor_->step();
  if (acts_ != acts || book_->snapshot().memory.live != live || waker_->pending)
    breach("a wake-up was lost: the conductor had something to do at step " +
           std::to_string(step_));
  const bool could_give = keeper_ && keeper_->could_give();
  // A slab that waits may not be requested at this moment.
  if (could_give && !cancelled_ && !conductor_->ended() && scenario_.encoded_cap == UINT64_MAX &&
      !waiting_.empty() && parked_.contains(*waiting_.begin()))
    breach("a cache keeps what a sample waits for");
  auto& n = neighbour_;
  if (!n.waits || n.waker->pending) return;
  if (charge_neighbour() || acts_ != acts)
    breach("a wake-up was lost: another loader's bytes are free");
  if (could_give && !book_->someone_waits() && book_->beyond_promise())
    breach("a cache keeps what another loader waits for");
}

std::uint64_t Model::slab_bytes_made() const {
  return std::accumulate(slab_bytes_.begin(), slab_bytes_.end(), std::uint64_t{0});
}

std::string Model::check() {
  const auto now = book_->snapshot();
  if (auto broken = check_bytes(now); !broken.empty()) return broken;
  const auto& t = now.samples;
  if (!t.conserved()) return "conservation";
  if (t.drawn != tally_.drawn || t.in_flight != tally_.in_flight || t.ready != tally_.ready ||
      t.leased != tally_.leased || t.consumed != tally_.consumed ||
      t.discarded != tally_.discarded || t.dropped != tally_.dropped || t.failed != tally_.failed ||
      t.replaced != tally_.replaced || t.omitted != tally_.omitted ||
      t.partners != tally_.partners) {
    return "conservation: the books and the recount differ";
  }
  if (!t.has_partners(scenario_.partners)) return "partners";
  const auto filling = static_cast<std::size_t>(std::ranges::count_if(batches_, &Batch::filling));
  if (now.filling != filling || now.ready != ready_.size() || now.leased != leases_.size())
    return "queue count";
  if (now.filling + now.ready > scenario_.max_queue_size || now.leased > scenario_.max_leases)
    return "queue";
  if (requests_) {
    std::vector<std::uint64_t> all;
    for (const auto& [sequence, indices] : outstanding_)
      all.insert(all.end(), indices.begin(), indices.end());
    if (requests_->outstanding() != all) return "outstanding requests";
  }
  if (told_left_) return {};
  std::uint32_t ahead = 0;
  for (const auto& worker : workers_) ahead += worker.busy && worker.sample->ahead ? 1u : 0u;
  for (const auto* samples : {&parked_, &to_decode_, &to_read_})
    for (const auto& [row, sample] : *samples) ahead += sample->ahead ? 1u : 0u;
  if (!halted_ && ahead != reads_ahead_) return "read-ahead";
  const auto oldest = this->oldest();
  if (oldest < oldest_seen_) return "progress: the oldest row went back";
  oldest_seen_ = oldest;
  if (book_->queue().oldest != oldest) return "progress: the books have another oldest row";
  return {};
}

std::string Model::check_bytes(const Snapshot& now) {
  AccountBytes own{};
  const auto at = [&](Account a) -> std::uint64_t& { return own[static_cast<std::size_t>(a)]; };
  const auto made = slab_bytes_made();
  for (std::size_t slab = 0; slab < batches_.size(); ++slab)
    if (batches_[slab].filling) at(Account::filling) += slab_bytes_[slab];
  for (const auto slab : ready_) at(Account::ready) += slab_bytes_[slab];
  for (const auto slab : leases_) at(Account::leased) += slab_bytes_[slab];
  at(Account::idle) = made - at(Account::filling) - at(Account::ready) - at(Account::leased);
  if (keeper_) at(Account::cache) = keeper_->holds.size() * scenario_.piece_bytes;
  const auto ahead = at(Account::filling) + at(Account::ready);
  if (ahead > scenario_.max_queue_bytes && now.filling + now.ready > 1) return "queue: bytes";
  std::uint64_t reserve = 0;
  const auto count = [&](const Sample& sample) {
    at(Account::encoded) += sample.encoded.charged();
    at(sample.account) += sample.granted.bytes;
    if (sample.encoded.reserve()) reserve += sample.encoded.charged();
    if (sample.granted.reserve) reserve += sample.granted.bytes;
  };
  for (const auto& worker : workers_) {
    at(Account::scratch) += worker.scratch.charged();
    if (worker.scratch.reserve()) reserve += worker.scratch.charged();
    count(*worker.sample);
  }
  for (const auto& sample : free_) count(*sample);
  for (const auto* samples : {&parked_, &to_decode_, &to_read_}) {
    for (const auto& [row, sample] : *samples) count(*sample);
  }
  std::uint64_t live = 0;
  for (const auto bytes : own) live += bytes;
  if (own != now.memory.accounts || live != now.memory.live) return "sum";
  const auto beside = neighbour_.holds ? neighbour_.book->limits().slab_bytes : 0;
  const auto all = ledger_->snapshot();
  if (all.live != live + beside) return "sum: the ledger and its pages differ";
  const auto budget = all.budget.value();
  if (all.live > budget || all.peak > budget) return "bound";
  if (reserve > scenario_.sample_bytes || live - reserve + beside > budget - scenario_.sample_bytes)
    return "the reserve was given away";
  peak_ = std::max(peak_, live);
  if (now.memory.peak < peak_ || now.memory.peak > budget) return "peak";
  return {};
}

std::string Model::finish_stream() {
  if (!cancelled_ && delivered_ != published_) return "not all that was handed over was delivered";
  workers_.clear();
  parked_.clear();
  to_decode_.clear();
  to_read_.clear();
  free_.clear();
  book_->end_stream();
  if (keeper_) {
    book_->discharge_cache(keeper_->holds.size() * scenario_.piece_bytes);
    keeper_->holds.clear();
  }
  const auto now = book_->snapshot();
  if (now.memory.live != slab_bytes_made() || now.memory[Account::idle] != now.memory.live)
    return "bytes are left behind";
  if (now.samples.in_flight + now.samples.ready + now.samples.leased != 0)
    return "samples are left behind";
  return {};
}

Fingerprint Model::fingerprint() const {
  Fingerprint all;
  const auto row = [](Fingerprint& print, books::RowKey key) {
    print.add(key.sequence);
    print.add(key.row);
  };
  const auto block = [](Fingerprint& print, const buffer::Block& b) {
    print.add(2 * b.charged() + (b.reserve() ? 1 : 0));
  };
  const auto bytes_of = [&](Fingerprint& print, const Sample& s) {
    block(print, s.encoded);
    print.add(2 * s.granted.bytes + (s.granted.reserve ? 1 : 0));
  };
  const auto row_of = [&](Fingerprint& print, const Sample& s) {
    row(print, s.row);
    print.add(s.attempt);
    print.add(4 * s.read + (s.exact ? 2 : 0) + (s.ahead ? 1 : 0));
    print.add(static_cast<std::uint64_t>(s.next) * 8 + s.refused * 2u + (s.ok ? 1 : 0));
    print.add(static_cast<std::uint64_t>(s.account));
    bytes_of(print, s);
  };
  const auto handed_over = [&](Fingerprint& print, books::SlabId slab) {
    print.add(batches_[slab].slot.sequence);
    print.add(batches_[slab].lost);
  };
  const auto any_order = [&](std::vector<Fingerprint> prints) {
    std::ranges::sort(prints);
    all.add(prints.size());
    for (const auto& print : prints) all.add(print);
  };

  std::vector<Fingerprint> several;
  for (const auto& worker : workers_) {
    Fingerprint& print = several.emplace_back();
    print.add((worker.busy ? 1u : 0u) + (worker.listed ? 2u : 0u) + (worker.left ? 4u : 0u) +
              (worker.is_reader ? 8u : 0u) + (is_benched(worker) ? 16u : 0u));
    if (tunings_ > 0) print.add(worker.number);  // decides which is benched
    print.add(worker.run.count);
    if (worker.run.count > 0) row(print, worker.run.key());
    print.add(worker.copied.count);
    if (worker.copied.count > 0) row(print, {worker.sample->row.sequence, worker.copied.first});
    block(print, worker.scratch);
    if (worker.busy)
      row_of(print, *worker.sample);
    else
      bytes_of(print, *worker.sample);
  }
  any_order(std::exchange(several, {}));
  // The last unused sample is taken first.
  for (const auto& sample : free_) bytes_of(all, *sample);
  for (const auto* samples : {&parked_, &to_decode_, &to_read_}) {
    all.add(samples->size());
    for (const auto& [key, sample] : *samples) row_of(all, *sample);
  }
  for (const auto& batch : batches_) {
    if (!batch.filling) continue;
    Fingerprint& print = several.emplace_back();
    print.add(batch.slot.sequence);
    print.add(std::uint64_t{batch.lost} << 32 | batch.faults);
  }
  any_order(std::exchange(several, {}));
  // The sizes and states of slabs matter, not their numbers.
  for (std::size_t slab = 0; scenario_.sizes_differ && slab < slab_bytes_.size(); ++slab) {
    Fingerprint& print = several.emplace_back();
    print.add(slab_bytes_[slab]);
    const bool made = slab_bytes_[slab] > 0;
    print.add(made ? static_cast<std::uint64_t>(book_->state(static_cast<books::SlabId>(slab)))
                   : 0);
  }
  any_order(std::exchange(several, {}));
  for (const auto slab : leases_) handed_over(several.emplace_back(), slab);
  any_order(std::exchange(several, {}));
  for (const auto& key : unfinished_) row(all, key);
  all.add(unfinished_.size());
  auto feed = feed_;
  while (const auto run = feed.take(UINT32_MAX, books::no_row)) {
    row(all, run->key());
    all.add(run->count);
  }
  for (const auto slab : ready_) handed_over(all, slab);
  if (keeper_) {
    // All pieces are equivalent.
    auto holds = keeper_->holds;
    std::ranges::sort(holds);
    for (const auto count : holds) all.add(count);
    all.add(holds.size());
    all.add(std::uint64_t{keeper_->offers} << 32 | keeper_->moves);
  }
  const auto queue = book_->queue();
  row(all, queue.stop);
  row(all, stop_row_);
  row(all, queue.oldest);
  for (const auto count :
       {std::uint64_t{slabs_made_}, opened_, published_, delivered_, published_faults_,
        std::uint64_t{may_fail_}, std::uint64_t{pace_changes_}, std::uint64_t{reads_ahead_},
        std::uint64_t{tunings_}, std::uint64_t{limits_.workers}, std::uint64_t{limits_.read_ahead},
        std::uint64_t{limits_.max_queue_size}, limits_.rows_ahead, std::uint64_t{ready_.size()},
        asked_})
    all.add(count);
  std::uint64_t flags = 0;
  for (const bool flag :
       {quick_, waker_->pending, halted_, closed_, told_left_, cancelled_, intolerable_,
        book_->someone_waits(), conductor_->ended(), step_ > scenario_.cancel_from})
    flags = 2 * flags + (flag ? 1 : 0);
  all.add(flags);
  return all;
}

}  // namespace weir::test
