#include "engine/row_steps.hpp"

#include "base/checked.hpp"
#include "engine/kept_row.hpp"

namespace weir::engine {
namespace {

/// Admits bytes before they are read. `exact`: never more than the parts need.
class Sink final : public ByteSink {
 public:
  Sink(RowMemory& memory, bool exact) noexcept
      : memory_(memory), sample_(memory.sample()), exact_(exact) {}
  std::optional<std::span<std::byte>> try_take(std::size_t bytes) override {
    if (refused_ || again_) return std::nullopt;
    const auto start = round_up(sample_.charged, buffer::Block::alignment);
    const auto end = add_sat(start, bytes);
    if (const auto defect = memory_.exceeds(end, Stage::read))
      throw SampleError(defect->kind, defect->reason);
    // A block that grows loses its content: the earlier parts of the sample.
    again_ = parts_++ > 0 && end > sample_.encoded.size();
    constexpr int many = 3;  // a pair has two
    const bool grows = again_ && parts_ >= many && !exact_;
    refused_ = !(grows ? memory_.admit_many_parts(end) : memory_.admit_encoded(end));
    if (refused_ || again_) return std::nullopt;
    sample_.charged = end;
    return sample_.encoded.first(end).subspan(static_cast<std::size_t>(start));
  }
  bool refused() const noexcept { return refused_; }
  /// There is now room for all parts: read the sample again.
  bool again() const noexcept { return again_; }

 private:
  RowMemory& memory_;
  Sample& sample_;
  const bool exact_;
  int parts_ = 0;
  bool refused_ = false, again_ = false;
};

/// Parked if the sink refused.
RowOutcome call_source(const AnySource& source, Sample& s, Sink& sink) {
  try {
    const auto encoded = source.try_read(s.index, sink);
    if (!encoded) return RowOutcome::parked;
    s.data = *encoded;
    return RowOutcome::proceed;
  } catch (...) {
    return failure_of(Stage::read);
  }
}

}  // namespace

RowOutcome read_row(Core& core, RowMemory& memory, RowTimes& times) {
  Sample& s = memory.sample();
  if (find_kept(core, s)) {
    s.has_bytes = true;
    return RowOutcome::proceed;
  }
  const auto begun = Clock::now();
  Reading reading(times.worker_stats(), begun);
  const auto at = times.at(Stage::read, s, begun);
  RowOutcome outcome = RowOutcome::proceed;
  bool exact = false;
  for (bool again = true; again;) {
    s.charged = 0;
    Sink sink(memory, exact);
    times.read_begins();
    outcome = call_source(core.source, s, sink);
    if (sink.refused()) return memory.park();
    again = sink.again();
    if (again || outcome != RowOutcome::proceed || !memory.keeps_scratch_out()) continue;
    // The reserve must still have room for the scratch. Now the bytes of all parts are known.
    exact = again = true;
    s.encoded.trim();
    if (!memory.admit_encoded(s.charged)) return memory.park();
  }
  if (outcome == RowOutcome::parked)
    outcome =
        Defect{FaultKind::io, Stage::read, "the source gave nothing, though no bytes were refused"};
  const auto ended = Clock::now();
  reading.end(ended);
  s.has_bytes = outcome == RowOutcome::proceed;
  if (core.cache) ++core.cache_misses;
  times.read_ends(s, begun, ended);
  return outcome;
}

}  // namespace weir::engine
