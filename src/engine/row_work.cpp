#include "engine/row_work.hpp"

#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include "base/checked.hpp"
#include "base/random.hpp"
#include "conductor/batch_sizes.hpp"
#include "engine/failure.hpp"

namespace weir::engine {

namespace {

using conductor::most_attempts;

}  // namespace

/// Admission before the read.
class RowWork::Sink final : public ByteSink {
 public:
  explicit Sink(RowWork& work) noexcept : work_(work) {}
  std::span<std::byte> take(std::size_t bytes) override {
    Sample& s = work_.sample();
    const auto start = round_up(s.charged, buffer::Block::alignment);
    const auto end = add_sat(start, bytes);
    if (const auto defect = too_large(end, work_.core_.plan.max_sample_bytes, Stage::read))
      throw SampleError(defect->kind, defect->reason);
    // To grow, a block lets go of what it has: of a sample in several parts, the parts before.
    const bool grows = pieces_++ > 0 && end > s.encoded.size();
    if (!work_.ensure(s.encoded, end, 0)) {
      refused_ = true;
      throw buffer::Refused{};
    }
    if (grows) {
      again_ = true;
      throw buffer::Refused{};
    }
    s.charged = end;
    return s.encoded.first(end).subspan(static_cast<std::size_t>(start));
  }
  bool refused() const noexcept { return refused_; }
  /// There is room for as much as was asked for by now: to be read once more.
  bool again() const noexcept { return again_; }

 private:
  RowWork& work_;
  int pieces_ = 0;
  bool refused_ = false, again_ = false;
};

RowWork::RowWork(Shared& shared, Duty duty, Lane& lane, Trace::Track track, Post* post)
    : shared_(shared),
      core_(shared.core),
      book_(*shared.core.book),
      lane_(lane),
      read_cpu_(lane, Stage::read),
      decode_cpu_(lane, Stage::decode),
      track_(track),
      post_(post),
      memory_(book_),
      sizes_differ_(shared.plan.sizes_differ()) {
  if (duty == Duty::decode) decoder_.emplace(shared.plan.decoder);
  memory_.sample = shared_.board.fresh_sample();
}

void RowWork::begin(const conductor::RowRun& run, std::uint32_t row) {
  Sample& s = sample();
  const auto slot = shared_.plan.schedule.at(run.sequence);
  s.row = {run.sequence, row};
  s.slab = run.slab;
  s.epoch = slot.epoch;
  s.position = slot.first + row;
  s.attempt = 0;
  s.index = sizes_differ_ ? core_.pool->slab(run.slab).indices()[row]
                          : shared_.plan.sampler.index(s.epoch, s.position);
  s.has_bytes = s.ahead = false;
  s.kept.release();
}

void RowWork::take_over(SamplePtr next) {
  shared_.board.recycle(std::exchange(memory_.sample, std::move(next)));
  Sample& s = sample();
  if (s.granted.bytes == 0) return;
  const auto now = Clock::now();
  lane_.add(Stage::wait, now - s.parked_at, s.granted.bytes);
  note(Stage::wait, s.parked_at, now);
  const auto granted = std::exchange(s.granted, {});
  try {
    (s.account == Account::encoded ? s.encoded : memory_.scratch).adopt(granted, s.beside);
  } catch (const std::bad_alloc&) {
    // The block is empty again; ensure() will meet the same failure and make it a fault.
  }
}

Turn RowWork::read() { return let_go(attempt(false)); }
Turn RowWork::read_and_decode() { return let_go(attempt(true)); }

Turn RowWork::let_go(Turn turn) noexcept {
  // What is nobody's row any more holds nothing in the cache, which others may want to go.
  if (turn == Turn::abandoned) sample().kept.release();
  return turn;
}

Turn RowWork::attempt(bool decode_too) {
  for (;;) {
    if (shared_.stopping.load(std::memory_order_relaxed)) return Turn::abandoned;
    std::optional<Defect> defect;
    std::exception_ptr thrown;
    try {
      if (!sample().has_bytes) {
        if (const auto turn = read_bytes(defect, thrown)) return *turn;
      }
      if (!defect && !decode_too) return Turn::read;
      if (!defect) {
        if (const auto turn = decode_row(defect, thrown)) return *turn;
      }
    } catch (const std::bad_alloc&) {
      defect =
          Defect{FaultKind::memory, Stage::decode, {}};  // words take memory: record() adds them
    }
    if (!fail(*defect, thrown)) return Turn::done;
  }
}

std::optional<Turn> RowWork::read_bytes(std::optional<Defect>& defect, std::exception_ptr& thrown) {
  if (find_kept()) return std::nullopt;
  Sample& s = sample();
  const auto begun = Clock::now();
  // Where others read, workers do not.
  Reading reading(decoder_ ? &lane_ : nullptr, begun);
  const AtPost at(post_, Stage::read, s.row, s.index, begun);
  for (;;) {
    s.charged = 0;
    Sink sink(*this);
    read_cpu_.begins();
    try {
      const Encoded encoded = core_.source.read(s.index, sink);
      s.bytes = encoded.bytes;
      s.second = encoded.second;
      s.side = encoded.side;
      s.label = encoded.label;
      s.has_bytes = true;
    } catch (const buffer::Refused&) {
    } catch (...) {
      auto failure = failure_of(Stage::read);
      defect = std::move(failure.defect);
      thrown = std::move(failure.thrown);
    }
    if (sink.refused()) {
      s.has_bytes = false;
      park();
      return Turn::parked;
    }
    if (!sink.again()) break;
    s.has_bytes = false;
    defect.reset();
    thrown = nullptr;
  }
  const auto ended = Clock::now();
  reading.end(ended);
  if (s.has_bytes) read_cpu_.ends(ended - begun);
  if (core_.cache) core_.cache->count(false);
  lane_.add(Stage::read, ended - begun,
            s.has_bytes ? s.bytes.size() + s.second.size() + s.side.size() : 0);
  note(Stage::read, begun, ended);
  note_bytes();
  return std::nullopt;
}

std::optional<Turn> RowWork::decode_row(std::optional<Defect>& defect, std::exception_ptr& thrown) {
  if (sample().kept && keeps(Cache::decoded)) {
    deliver_kept();
    return Turn::done;
  }
  decode_cpu_.begins();
  if (shared_.plan.transform) return transform_row(defect, thrown);
  Sample& s = sample();
  const auto begun = Clock::now();
  const AtPost at(post_, Stage::decode, s.row, s.index, begun);
  if (!s.second.empty()) {
    defect = untaken_second();
    return std::nullopt;
  }
  const auto info = decoder_->probe(s.bytes);
  if (!info) {
    defect = info.defect();
    return std::nullopt;
  }
  const auto fit = fit_in_place(*info, defect);
  if (!fit) return std::nullopt;
  const auto plan = decoder_->plan(*info, *fit, draw());
  if (const auto turn = admit(plan.memory, defect); turn || defect) return turn;
  auto& slab = core_.pool->slab(s.slab);
  const auto decoded = decoder_->decode(s.bytes, plan, memory_.scratch.first(plan.memory.scratch),
                                        shared_.stopping, slab.pixels(s.row.row, 1));
  if (shared_.stopping.load(std::memory_order_relaxed)) return Turn::abandoned;
  if (!decoded) {
    defect = decoded.defect();
    return std::nullopt;
  }
  fill_side(defect);
  if (defect) return std::nullopt;
  note_decoded(begun, std::chrono::nanoseconds(decoded->fit_ns));
  slab.labels()[s.row.row] = s.label;
  keep(decoded->status);
  finish(true, s.attempt > 0 ? RowStatus::replaced : decoded->status);
  return Turn::done;
}

std::uint64_t RowWork::draw() const noexcept {
  // A replacement draws its own crop: attempt 0 keeps the plain key.
  const Sample& s = *memory_.sample;
  const auto base = shared_.plan.sampler.draw(s.epoch, s.position);
  return s.attempt == 0 ? base : mix_key({base, s.attempt});
}

std::optional<Turn> RowWork::admit(const codec::MemoryNeed& need, std::optional<Defect>& defect) {
  const auto wanted = add_sat(sample().charged, add_sat(need.scratch, need.reserved));
  if ((defect = too_large(wanted, core_.plan.max_sample_bytes, Stage::wait))) return std::nullopt;
  if (ensure(memory_.scratch, need.scratch, need.reserved)) return std::nullopt;
  park();
  return Turn::parked;
}

void RowWork::fill_side(std::optional<Defect>& defect) {
  const auto given = sample().side;
  const auto side = core_.pool->slab(sample().slab).side(sample().row.row, 1);
  if ((defect = wrong_side(given, side.size()))) return;
  if (given.empty()) {
    std::ranges::fill(side, std::byte{0});
  } else {
    std::ranges::copy(given, side.begin());
  }
}

void RowWork::note_decoded(Clock::time_point begun, std::chrono::nanoseconds fit) {
  const Sample& s = sample();
  // Rows are fitted as they come: of the whole, the trace shows the fitting last.
  const auto ended = Clock::now();
  lane_.add(Stage::decode, ended - begun - fit, s.bytes.size() + s.second.size());
  lane_.add(Stage::fit, fit,
            (sizes_differ_ ? size_.bytes() : core_.plan.shape.values()) + core_.plan.side_bytes);
  decode_cpu_.ends(ended - begun);
  note(Stage::decode, begun, ended - fit);
  note(Stage::fit, ended - fit, ended);
}

bool RowWork::ensure(buffer::Block& block, std::uint64_t bytes, std::uint64_t beside) {
  if (block.ensure(bytes, beside, sample().row, nullptr)) return true;
  // What nobody uses goes before anyone waits.
  if (&block != &memory_.scratch) memory_.scratch.trim();
  shared_.board.trim_idle();
  book_.make_room(sample().row, block.account(), add_sat(bytes, beside));
  if (!memory_.spare) memory_.spare = shared_.board.fresh_sample();
  sample().beside = beside;
  return block.ensure(bytes, beside, sample().row, &sample());
}

void RowWork::park() {
  sample().parked_at = Clock::now();
  shared_.board.park(std::exchange(memory_.sample, std::move(memory_.spare)));
}

std::string RowWork::record(const Defect& defect) noexcept {
  const Sample& s = sample();
  try {
    const auto fault = fault_of(defect, core_.source, s.index, s.epoch);
    auto words = fault.name + ": " + std::string(to_string(fault.kind)) + " (" + fault.reason +
                 (fault.offset ? " at byte " + std::to_string(*fault.offset) : "") + ")";
    core_.faults.add(fault);
    return words;
  } catch (...) {
    core_.faults.count(defect.kind);
    return {};
  }
}

bool RowWork::fail(const Defect& defect, const std::exception_ptr& thrown) noexcept {
  Sample& s = sample();
  const auto described = record(defect);
  ++s.attempt;
  s.has_bytes = false;
  switch (shared_.plan.on_fault) {
    case OnFault::blank:
      std::ranges::fill(core_.pool->slab(s.slab).pixels(s.row.row, 1), std::uint8_t{0});
      std::ranges::fill(core_.pool->slab(s.slab).side(s.row.row, 1), std::byte{0});
      core_.pool->slab(s.slab).labels()[s.row.row] = -1;
      finish(false, RowStatus::blank);
      return false;
    case OnFault::skip:
      if (s.attempt < most_attempts) {
        // The replacement may need all of the reserve, which the failed attempt still holds.
        release_memory();
        book_.fail_and_redraw(s.slab);
        s.index = replacement();
        return true;
      }
      end_stream_here(error_of(Errc::too_many_faults, defect.stage, [&] {
        return "row " + std::to_string(s.row.row) + " of batch " + std::to_string(s.row.sequence) +
               " failed " + std::to_string(most_attempts) + " times, last with " + described;
      }));
      break;
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

void RowWork::end_stream_here(const std::exception_ptr& error) {
  // The error first: once the conductor sees the stop it may end the stream at any moment.
  shared_.error.offer(sample().row, error);
  book_.stop_at(sample().row);
}

void RowWork::finish(bool ok, RowStatus status) {
  Sample& s = sample();
  auto& slab = core_.pool->slab(s.slab);
  if (sizes_differ_ && ok) note_size();
  slab.indices()[s.row.row] = s.index;
  slab.statuses()[s.row.row] = status;
  release_memory();
  note_bytes();
  book_.finish_row(s.slab, s.row.row, ok, status == RowStatus::replaced);
}

void RowWork::release_memory() noexcept {
  if (memory_.scratch.reserve() || book_.someone_waits()) memory_.scratch.trim();
  if (sample().encoded.reserve() || book_.someone_waits()) sample().encoded.trim();
  sample().kept.release();
}

}  // namespace weir::engine
