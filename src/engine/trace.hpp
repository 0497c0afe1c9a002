#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "books/book.hpp"
#include "books/row_key.hpp"
#include "buffer/slab.hpp"
#include "weir/error.hpp"
#include "weir/plan.hpp"
#include "weir/source.hpp"

namespace weir::engine {

/// What happened when, on which thread: the first so many events of a loader's life, for a trace
/// viewer. Events are noted from any thread into memory that is there from the start: one
/// fetch_add, no lock, no allocation; those that find no place are counted.
class Trace {
 public:
  /// A row of the picture: the consumer, the conductor, a worker, a reader, tuning or a slab.
  using Track = std::uint32_t;

  /// Takes plan.trace_bytes.
  explicit Trace(const Plan& plan);

  // Viewers take thread 0 for the idle one.
  static constexpr Track consumer = 1, conductor = 2;
  Track worker(std::uint32_t i) const noexcept { return 3 + i; }
  Track reader(std::uint32_t i) const noexcept { return worker(workers_) + i; }
  Track tuning() const noexcept { return reader(readers_); }
  /// There is a thread that tunes: it has a row, which other loaders' traces lack.
  void has_tuning() noexcept { tuned_.store(true, std::memory_order_relaxed); }

  /// A sample was in `stage` (read, decode, fit; wait: parked, on no thread).
  void sample(Stage stage, Track track, Clock::time_point begun, Clock::time_point ended,
              books::RowKey row, std::uint64_t index) noexcept;
  enum class Of : std::uint8_t {
    filling,  ///< of a slab: its rows were worked on
    handoff,  ///< of a slab: ready
    lease,    ///< of a slab: the consumer's
    next,     ///< of the consumer: in next()
    consume,  ///< of the consumer: handed a batch until the next next()
    step,     ///< of the conductor; no batch
    look,     ///< of tuning: it read the clocks and thought; no batch
  };
  /// A slab was this, for its batch.
  void batch(Of what, const buffer::Slab& slab, Clock::time_point begun,
             Clock::time_point ended) noexcept;
  /// A thread did this; `batch` where it is about one.
  void thread(Of what, Track track, Clock::time_point begun, Clock::time_point ended,
              std::uint64_t batch) noexcept;
  /// Tuning moved the knobs there; `text`: the place of what it said in the loader's moves.
  void move(const Setting& to, std::size_t text) noexcept;
  /// The bytes of samples and index as they are now.
  void sample_bytes(const books::Book& book) noexcept;
  /// The queue and the bytes of slabs as they are now.
  void queue(const books::Book& book) noexcept;

  /// Trace Event Format (JSON object form; microseconds since the loader was made), as Perfetto and
  /// chrome://tracing open it. `source` names the samples, `moves` is what tuning said. Ends with what
  /// `book` says now.
  void write(std::ostream& out, const books::Book& book, const AnySource& source,
             const std::vector<std::string>& moves) const;

 private:
  enum class Kind : std::uint8_t {
    none,
    sample,
    batch,
    thread,
    move,
    sample_bytes,
    slab_bytes,
    queue,
  };
  /// `value` by kind: sample: duration, sequence, row, index. batch, thread: duration, sequence.
  /// move: queue, workers, read_ahead, text. queue: filling, ready, leased. The others: bytes of up to
  /// four accounts.
  static constexpr std::size_t values_an_event = 4;
  using Values = std::array<std::uint64_t, values_an_event>;
  struct Event {
    std::atomic<Kind> kind{Kind::none};  ///< set last: the rest is there
    std::uint8_t what = 0;               ///< Stage, Of, or which of its accounts is the first
    Track track = 0;
    std::int64_t at_ns = 0;
    Values value{};
  };
  static_assert(sizeof(Event) == trace_event_bytes);

  /// The accounts of an event of this kind, from `first` on; at most as many as its values.
  static std::span<const Account> accounts(Kind kind, std::size_t first) noexcept;
  static Values bytes(std::span<const Account> accounts, const MemorySnapshot& memory) noexcept;

  Track slab(books::SlabId id) const noexcept { return reader(readers_) + id; }
  void note(Kind kind, std::uint8_t what, Track track, Clock::time_point at,
            const Values& value) noexcept;
  void note_bytes(Kind kind, const MemorySnapshot& memory, Clock::time_point at) noexcept;
  std::int64_t since_start(Clock::time_point at) const noexcept;

  class Writer;

  const Clock::time_point start_ = Clock::now();
  const std::uint64_t capacity_;
  const std::uint32_t workers_, readers_;
  const std::unique_ptr<Event[]> events_;
  std::atomic<std::uint64_t> noted_{0};
  std::atomic<bool> tuned_{false};
};

}  // namespace weir::engine
