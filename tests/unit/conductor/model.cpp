#include "unit/conductor/model.hpp"

#include <algorithm>

namespace weir::test {

namespace {

std::uint64_t encoded_bytes(const Scenario& s, books::RowKey row, std::uint32_t attempt) {
  return 1 + mix_key({row.sequence, row.row, attempt, 1}) % (s.sample_bytes / 2);
}

std::uint64_t scratch_bytes(const Scenario& s, books::RowKey row, std::uint32_t attempt) {
  return 1 + mix_key({row.sequence, row.row, attempt, 2}) % (s.sample_bytes - s.sample_bytes / 2);
}

bool fails(const Scenario& s, books::RowKey row, std::uint32_t attempt) {
  return s.fail_one_in > 0 && mix_key({row.sequence, row.row, attempt, 3}) % s.fail_one_in == 0;
}

}  // namespace

Scenario random_scenario(std::uint64_t seed) {
  RandomStream random(mix_key({seed, 77}));
  Scenario s;
  s.dataset = random.below(10);
  s.epochs = 1 + random.below(3);
  s.batch = 1 + static_cast<std::uint32_t>(random.below(4));
  s.workers = 1 + static_cast<std::uint32_t>(random.below(4));
  s.max_queue_size = 1 + static_cast<std::uint32_t>(random.below(4));
  s.max_leases = 1 + static_cast<std::uint32_t>(random.below(2));
  s.slab_bytes = 1 + random.below(200);
  s.spare_bytes = random.below(3) == 0 ? 0 : random.below(600);
  s.fail_one_in = random.below(3) == 0 ? 2 + random.below(6) : 0;
  s.stop_on_fault = random.below(3) == 0;
  if (random.below(4) == 0) s.tolerate = random.below(4);
  if (random.below(4) == 0) s.cancel_after = random.below(150);
  return s;
}

Model::Model(const Scenario& scenario, std::uint64_t seed)
    : scenario_(scenario), random_(mix_key({seed, 5})) {
  const auto& s = scenario_;
  const auto floor = (1 + s.max_leases) * s.slab_bytes + s.sample_bytes;
  ledger_ = std::make_shared<books::Ledger>(floor + s.spare_bytes);
  books::Terms terms{
      floor, s.sample_bytes, s.slab_bytes, UINT64_MAX, s.max_queue_size + s.max_leases, s.batch};
  if (random_.below(4) == 0) terms.encoded_cap = random_.below(40);
  book_ = books::Book::open(ledger_, terms);
  book_->begin_stream(0, {}, waker_);
  const conductor::Schedule schedule(s.dataset, s.batch, random_.below(4) == 0, s.epochs);
  rows_ahead_ = 1 + random_.below(6);
  const conductor::Policy policy{s.max_queue_size, rows_ahead_, {s.tolerate, 1.0, s.dataset}};
  conductor_ = std::make_unique<conductor::Conductor>(*book_, schedule, policy, 0, *this);
  for (std::uint32_t i = 0; i < s.workers; ++i) workers_.emplace_back(*book_);
}

Model::~Model() = default;

std::string Model::run() {
  while (!over() && broken_.empty()) {
    if (++step_ > 100'000) return "no end in sight";
    if (step_ >= scenario_.cancel_after && !cancelled_) {
      cancelled_ = closed_ = true;
      book_->cancel();
    }
    // Actors in random order until one can move; if none can, nobody ever will: a deadlock.
    const auto actors = workers_.size() + 2;
    const auto first = random_.below(actors);
    bool moved = false;
    for (std::size_t i = 0; i < actors && !moved; ++i) {
      const auto actor = (first + i) % actors;
      if (actor == 0)
        moved = move_strand();
      else if (actor == 1)
        moved = move_consumer();
      else
        moved = move_worker(workers_[actor - 2]);
    }
    if (!moved) return "deadlock at step " + std::to_string(step_);
    breach(check());
  }
  return broken_;
}

bool Model::over() const { return told_left_ && closed_ && ready_.empty() && leases_.empty(); }

bool Model::move_strand() {
  if (waker_->pending) {
    waker_->pending = false;
    conductor_->step();
    return true;
  }
  const bool all_left = std::ranges::all_of(workers_, &Worker::left);
  if (!halted_ || !all_left || told_left_) return false;
  told_left_ = true;
  for (const auto& [slab, batch] : filling_) {
    tally_.dropped += batch.rows - lost_[slab];
    tally_.in_flight -= batch.rows - lost_[slab];
  }
  filling_.clear();
  unfinished_.clear();
  conductor_->workers_left();
  if (!conductor_->at_rest()) breach("not at rest at the end");
  return true;
}

// ---- actions ---------------------------------------------------------------------------------

bool Model::make_slab() {
  if (slabs_made_ == book_->terms().slabs || !book_->try_charge_slab()) return false;
  book_->add_slab(slabs_made_++);
  return true;
}

void Model::trim_idle() noexcept {
  for (auto& worker : workers_) {
    if (!worker.sample && worker.run.count == 0) worker.scratch.trim();
  }
}

void Model::open(books::SlabId slab, const conductor::BatchSlot& batch) {
  filling_[slab] = batches_[slab] = batch;
  lost_[slab] = 0;
  for (std::uint32_t row = 0; row < batch.rows; ++row) unfinished_.insert({batch.sequence, row});
  tally_.drawn += batch.rows;
  tally_.in_flight += batch.rows;
  tally_.omitted += batch.omitted;
  feed_.add({slab, batch.sequence, 0, batch.rows});
}

void Model::resume(books::Waiter& waiter) {
  resumed_[waiter.row] = std::move(parked_.at(waiter.row));
  parked_.erase(waiter.row);
}

void Model::publish(books::SlabId slab) noexcept {
  const auto samples = filling_.at(slab).rows - lost_[slab];
  filling_.erase(slab);
  tally_.in_flight -= samples;
  tally_.ready += samples;
  ready_.push_back(slab);
}

// ---- workers ---------------------------------------------------------------------------------

bool Model::move_worker(Worker& worker) {
  if (worker.left) return false;
  if (halted_) {
    worker.left = true;  // the row it had is never finished
    worker.sample.reset();
    worker.scratch.trim();
    return true;
  }
  if (!worker.sample && !take_work(worker)) return false;
  advance(worker);
  return true;
}

bool Model::take_work(Worker& worker) {
  const auto barrier = parked_.empty() ? books::no_row : parked_.begin()->first;
  if (worker.run.count == 0 && !resumed_.empty() &&
      resumed_.begin()->first < std::min(feed_.front(), barrier)) {
    worker.sample = std::move(resumed_.begin()->second);
    resumed_.erase(resumed_.begin());
    auto& sample = *worker.sample;
    const auto granted = std::exchange(sample.granted, {});
    (sample.account == Account::encoded ? sample.encoded : worker.scratch).adopt(granted, 0);
    return true;
  }
  if (worker.run.count == 0) {
    const auto run = feed_.take(1 + static_cast<std::uint32_t>(random_.below(3)), barrier);
    if (!run) return false;
    worker.run = *run;
    if (feed_.rows() < rows_ahead_) waker_->wake();
  }
  worker.sample = std::make_unique<Sample>(*book_);
  worker.sample->slab = worker.run.slab;
  worker.sample->row = worker.run.key();
  ++worker.run.first;
  --worker.run.count;
  return true;
}

void Model::advance(Worker& worker) {
  auto& sample = *worker.sample;
  if (!sample.read) {
    if (!ensure(worker, sample.encoded, encoded_bytes(scenario_, sample.row, sample.attempt)))
      return park(worker);
    sample.read = true;
  } else if (worker.scratch.charged() < scratch_bytes(scenario_, sample.row, sample.attempt)) {
    if (!ensure(worker, worker.scratch, scratch_bytes(scenario_, sample.row, sample.attempt)))
      park(worker);
  } else if (fails(scenario_, sample.row, sample.attempt)) {
    fail(worker);
  } else if (!std::exchange(sample.let_go, true)) {
    release_memory(worker);
  } else {
    finish(worker, true, sample.attempt > 0);
  }
}

void Model::release_memory(Worker& worker) {
  // Blocks may be kept: then a row ends without freeing a byte, and those who wait must hear of it.
  auto& encoded = worker.sample->encoded;
  if (worker.scratch.reserve() || random_.below(3) == 0) worker.scratch.trim();
  if (encoded.reserve() || random_.below(3) == 0) encoded.trim();
}

bool Model::ensure(Worker& worker, buffer::Block& block, std::uint64_t bytes) {
  auto& sample = *worker.sample;
  const bool grows = bytes > block.charged();
  const bool older_waits = !parked_.empty() && parked_.begin()->first < sample.row;
  if (block.ensure(bytes, 0, sample.row, nullptr)) {
    if (grows && older_waits) breach("a younger row was admitted while an older one waits");
    return true;
  }
  if (sample.row == *unfinished_.begin()) {
    // Law: progress. What the other block keeps from an earlier row is not this row's.
    if (&block != &worker.scratch) worker.scratch.trim();
    if (block.ensure(bytes, 0, sample.row, nullptr)) return true;
    breach("progress: the oldest row was refused " + std::to_string(bytes));
  }
  if (&block != &worker.scratch) worker.scratch.trim();
  trim_idle();
  return block.ensure(bytes, 0, sample.row, &sample);
}

void Model::park(Worker& worker) {
  feed_.add(std::exchange(worker.run, {}));
  auto& waiter = *worker.sample;
  parked_[waiter.row] = std::move(worker.sample);
  book_->park(waiter);
}

void Model::fail(Worker& worker) {
  auto& sample = *worker.sample;
  ++tally_.failed;
  if (scenario_.stop_on_fault) {
    book_->stop_at(sample.row);
    --tally_.in_flight;
    finish(worker, false, false);
  } else if (sample.attempt == 0 && sample.row.row % 2 == 0) {
    --tally_.in_flight;
    finish(worker, false, false);
  } else {
    ++tally_.drawn;
    book_->fail_and_redraw(sample.slab);
    ++sample.attempt;
    sample.read = false;
  }
}

void Model::finish(Worker& worker, bool ok, bool replaced) {
  release_memory(worker);
  auto sample = std::move(worker.sample);
  if (!ok) ++lost_[sample->slab];
  if (replaced) ++tally_.replaced;
  unfinished_.erase(sample->row);
  book_->finish_row(sample->slab, sample->row.row, ok, replaced);
}

// ---- consumer --------------------------------------------------------------------------------

bool Model::move_consumer() {
  if (!leases_.empty() &&
      (leases_.size() == scenario_.max_leases || random_.below(2) == 0 || closed_)) {
    release(static_cast<std::size_t>(random_.below(leases_.size())));
    return true;
  }
  if (ready_.empty()) return false;
  const auto slab = ready_.front();
  ready_.pop_front();
  const auto samples = batches_.at(slab).rows - lost_[slab];
  tally_.ready -= samples;
  if (book_->lease(slab)) {
    if (batches_.at(slab).sequence != next_delivery_++) breach("order");
    if (cancelled_) breach("a lease after the cancel");
    tally_.leased += samples;
    leases_.push_back(slab);
  } else {
    tally_.discarded += samples;
    book_->discard_ready(slab);
  }
  return true;
}

void Model::release(std::size_t nth) {
  const auto slab = leases_[nth];
  leases_.erase(leases_.begin() + static_cast<std::ptrdiff_t>(nth));
  const auto samples = batches_.at(slab).rows - lost_[slab];
  const bool consumed = random_.below(4) != 0;
  tally_.leased -= samples;
  (consumed ? tally_.consumed : tally_.discarded) += samples;
  book_->release(slab, consumed ? books::Parting::consumed : books::Parting::discarded, false);
}

// ---- the laws, recounted ---------------------------------------------------------------------

std::string Model::check() {
  const auto now = book_->snapshot();
  const auto slab = scenario_.slab_bytes;
  AccountBytes own{};
  const auto at = [&](Account a) -> std::uint64_t& { return own[static_cast<std::size_t>(a)]; };
  at(Account::filling) = filling_.size() * slab;
  at(Account::ready) = ready_.size() * slab;
  at(Account::leased) = leases_.size() * slab;
  at(Account::idle) = (slabs_made_ - filling_.size() - ready_.size() - leases_.size()) * slab;
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
    if (worker.sample) count(*worker.sample);
  }
  for (const auto* samples : {&parked_, &resumed_}) {
    for (const auto& [row, sample] : *samples) count(*sample);
  }
  std::uint64_t live = 0;
  for (const auto bytes : own) live += bytes;
  if (own != now.memory.accounts || live != now.memory.live) return "sum";
  if (now.memory.live > now.memory.budget || now.memory.peak > now.memory.budget) return "bound";
  if (live - reserve > now.memory.budget - scenario_.sample_bytes)
    return "the reserve was given away";
  peak_ = std::max(peak_, live);
  if (now.memory.peak < peak_) return "peak";
  const auto& t = now.samples;
  if (!t.conserved()) return "conservation";
  if (t.drawn != tally_.drawn || t.in_flight != tally_.in_flight || t.ready != tally_.ready ||
      t.leased != tally_.leased || t.consumed != tally_.consumed ||
      t.discarded != tally_.discarded || t.dropped != tally_.dropped || t.failed != tally_.failed ||
      t.replaced != tally_.replaced) {
    return "conservation: the books and the recount differ";
  }
  if (now.filling != filling_.size() || now.ready != ready_.size() || now.leased != leases_.size())
    return "queue count";
  if (now.filling + now.ready > scenario_.max_queue_size || now.leased > scenario_.max_leases)
    return "queue";
  return {};
}

}  // namespace weir::test
