#include "engine/row_work.hpp"

#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include "base/checked.hpp"
#include "base/random.hpp"
#include "base/sanitize.hpp"

namespace weir::engine {

namespace {

constexpr std::uint32_t most_attempts = 64;
constexpr auto no_memory = "the allocator has no memory for this sample";

Defect too_large(std::uint64_t wanted, std::uint64_t allowed, Stage stage) {
  return {FaultKind::memory, stage,
          "needs " + std::to_string(wanted) +
              " bytes of encoded and scratch memory, max_sample_bytes is " +
              std::to_string(allowed)};
}

}  // namespace

/// Admission before the read.
class RowWork::Sink final : public ByteSink {
 public:
  explicit Sink(RowWork& work) noexcept : work_(work) {}
  std::span<std::byte> take(std::size_t bytes) override {
    if (std::exchange(taken_, true))
      throw std::logic_error("ByteSink::take called twice for one sample");
    if (bytes > work_.core_.plan.max_sample_bytes) {
      const auto defect = too_large(bytes, work_.core_.plan.max_sample_bytes, Stage::read);
      throw SampleError(defect.kind, defect.reason);
    }
    if (!work_.ensure(work_.sample().encoded, bytes, 0)) {
      refused_ = true;
      throw buffer::Refused{};
    }
    work_.sample().charged = bytes;
    return work_.sample().encoded.first(bytes);
  }
  bool refused() const noexcept { return refused_; }

 private:
  RowWork& work_;
  bool taken_ = false, refused_ = false;
};

RowWork::RowWork(Shared& shared, Duty duty, Lane& lane, Trace::Track track, Post* post)
    : shared_(shared),
      core_(shared.core),
      book_(*shared.core.book),
      lane_(lane),
      read_cpu_(lane),
      track_(track),
      post_(post),
      memory_(book_) {
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
  s.index = shared_.plan.sampler.index(s.epoch, s.position);
  s.has_bytes = s.ahead = false;
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

Turn RowWork::read() { return attempt(false); }
Turn RowWork::read_and_decode() { return attempt(true); }

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
        if (const auto turn = decode_row(defect)) return *turn;
      }
    } catch (const std::bad_alloc&) {
      defect =
          Defect{FaultKind::memory, Stage::decode, {}};  // words take memory: record() adds them
    }
    if (!fail(*defect, thrown)) return Turn::done;
  }
}

std::optional<Turn> RowWork::read_bytes(std::optional<Defect>& defect, std::exception_ptr& thrown) {
  Sample& s = sample();
  Sink sink(*this);
  const auto begun = Clock::now();
  // Where others read, workers do not.
  Reading reading(decoder_ ? &lane_ : nullptr, begun);
  const AtPost at(post_, Stage::read, s.row, s.index, begun);
  s.charged = 0;
  read_cpu_.begins();
  try {
    const Encoded encoded = core_.source.read(s.index, sink);
    s.bytes = encoded.bytes;
    s.label = encoded.label;
    s.has_bytes = true;
    read_cpu_.ends();
  } catch (const buffer::Refused&) {
  } catch (const SampleError& error) {
    defect = Defect{error.kind(), Stage::read, error.what()};
  } catch (const std::bad_alloc&) {
    defect = Defect{FaultKind::memory, Stage::read, {}};
  } catch (const std::exception& error) {
    thrown = std::current_exception();
    defect = Defect{FaultKind::io, Stage::read, error.what()};
  } catch (...) {
    thrown = std::current_exception();
    defect =
        Defect{FaultKind::io, Stage::read, "the source threw something that is no std::exception"};
  }
  read_cpu_.abandoned();
  if (sink.refused()) {
    s.has_bytes = false;
    park();
    return Turn::parked;
  }
  const auto ended = Clock::now();
  reading.end(ended);
  lane_.add(Stage::read, ended - begun, s.has_bytes ? s.bytes.size() : 0);
  note(Stage::read, begun, ended);
  note_bytes();
  return std::nullopt;
}

std::optional<Turn> RowWork::decode_row(std::optional<Defect>& defect) {
  Sample& s = sample();
  const auto begun = Clock::now();
  const AtPost at(post_, Stage::decode, s.row, s.index, begun);
  const auto info = decoder_->probe(s.bytes);
  if (!info) {
    defect = info.defect();
    return std::nullopt;
  }
  // A replacement draws its own crop: attempt 0 keeps the plain key.
  const auto base = shared_.plan.sampler.draw(s.epoch, s.position);
  const auto draw = s.attempt == 0 ? base : mix_key({base, s.attempt});
  const auto [scratch, reserved] = decoder_->need(*info, draw);
  const auto wanted = add_sat(s.charged, add_sat(scratch, reserved));
  if (wanted > core_.plan.max_sample_bytes) {
    defect = too_large(wanted, core_.plan.max_sample_bytes, Stage::wait);
    return std::nullopt;
  }
  if (!ensure(memory_.scratch, scratch, reserved)) {
    park();
    return Turn::parked;
  }
  auto& slab = core_.pool->slab(s.slab);
  const auto decoded = decoder_->decode(s.bytes, *info, draw, memory_.scratch.first(scratch),
                                        shared_.stopping, slab.pixels(s.row.row, 1));
  if (shared_.stopping.load(std::memory_order_relaxed)) return Turn::abandoned;
  if (!decoded) {
    defect = decoded.defect();
    return std::nullopt;
  }
  const auto fit = std::chrono::nanoseconds(decoded->fit_ns);
  // Rows are fitted as they come: of the whole, the trace shows the fitting last.
  const auto ended = Clock::now();
  lane_.add(Stage::decode, ended - begun - fit, s.bytes.size());
  lane_.add(Stage::fit, fit, core_.plan.shape.values());
  note(Stage::decode, begun, ended - fit);
  note(Stage::fit, ended - fit, ended);
  slab.labels()[s.row.row] = s.label;
  finish(true, s.attempt > 0 ? RowStatus::replaced : decoded->status);
  return Turn::done;
}

bool RowWork::ensure(buffer::Block& block, std::uint64_t bytes, std::uint64_t beside) {
  if (block.ensure(bytes, beside, sample().row, nullptr)) return true;
  // What nobody uses goes before anyone waits.
  if (&block != &memory_.scratch) memory_.scratch.trim();
  shared_.board.trim_idle();
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
    std::string name;
    try {
      name = sanitize(core_.source.name(s.index));
    } catch (...) {
      name = "(the source threw when asked for the name)";
    }
    const bool wordless = defect.kind == FaultKind::memory && defect.reason.empty();
    const Fault fault{s.index,      s.epoch,      name,
                      defect.kind,  defect.stage, wordless ? no_memory : sanitize(defect.reason),
                      defect.offset};
    auto words = name + ": " + std::string(to_string(fault.kind)) + " (" + fault.reason +
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
      core_.pool->slab(s.slab).labels()[s.row.row] = -1;
      finish(false, RowStatus::blank);
      return false;
    case OnFault::skip:
      if (s.attempt < most_attempts) {
        // The replacement may need all of the reserve, which the failed attempt still holds.
        release_memory();
        book_.fail_and_redraw(s.slab);
        s.index = shared_.plan.sampler.replacement(s.epoch, s.position, s.attempt);
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
  slab.indices()[s.row.row] = s.index;
  slab.statuses()[s.row.row] = status;
  release_memory();
  note_bytes();
  book_.finish_row(s.slab, s.row.row, ok, status == RowStatus::replaced);
}

void RowWork::release_memory() noexcept {
  if (memory_.scratch.reserve() || book_.someone_waits()) memory_.scratch.trim();
  if (sample().encoded.reserve() || book_.someone_waits()) sample().encoded.trim();
}

}  // namespace weir::engine
