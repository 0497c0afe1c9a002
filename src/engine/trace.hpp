#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
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

/// The first events of a loader's life, by thread and time, for a trace viewer. Thread-safe.
/// Recording needs one fetch_add and no lock, and the memory is allocated in advance. Events that
/// find no room are only counted.
class Trace {
 public:
  /// A row in the viewer: the consumer, the conductor, a worker, a reader, tuning or a slab.
  using Track = std::uint32_t;

  /// Allocates plan.trace_bytes. Throws Error{bad_options} if the system refuses them.
  explicit Trace(const Plan& plan);

  // Viewers use thread 0 for the idle thread.
  static constexpr Track consumer = 1, conductor = 2;
  Track worker(std::uint32_t i) const noexcept { return 3 + i; }
  Track reader(std::uint32_t i) const noexcept { return worker(workers_) + i; }
  Track tuning() const noexcept { return reader(readers_); }
  /// Adds a row for the tuning thread. Other loaders' traces have none.
  void has_tuning() noexcept { tuned_.store(true, std::memory_order_relaxed); }

  /// A sample was in `stage`: read, decode, fit, or wait (parked, on no thread).
  void sample(Stage stage, Track track, Clock::time_point begun, Clock::time_point ended,
              books::RowKey row, std::uint64_t index) noexcept;
  enum class Of : std::uint8_t {
    filling,  ///< a slab: its rows were processed
    handoff,  ///< a slab: it was ready
    lease,    ///< a slab: the consumer had it
    copy,     ///< a slab: a device read it
    device,   ///< the consumer: it waited for a lease that a device held
    next,     ///< the consumer: it was in next()
    consume,  ///< the consumer: from a delivered batch to its next call of next()
    step,     ///< the conductor: one step; no batch
    look,     ///< tuning: it evaluated the stats; no batch
  };
  /// Records a state of a slab.
  void batch(Of what, const buffer::Slab& slab, Clock::time_point begun,
             Clock::time_point ended) noexcept;
  /// Records work of a thread. `batch`: its batch, if any.
  void thread(Of what, Track track, Clock::time_point begun, Clock::time_point ended,
              std::uint64_t batch) noexcept;
  /// Records a change of the setting. `text`: index of the reason in the loader's moves.
  void move(const Setting& to, std::size_t text) noexcept;
  /// Records the current bytes of samples and of the index.
  void sample_bytes(const books::Book& book) noexcept;
  /// Records the current queue and the bytes of slabs.
  void queue(const books::Book& book) noexcept;

  /// Number of events that found no room.
  std::uint64_t lost() const noexcept {
    const auto noted = noted_.load(std::memory_order_relaxed);
    return noted - std::min(noted, capacity_);
  }
  /// Writes the Trace Event Format (JSON object form) for Perfetto and chrome://tracing. Times are
  /// in microseconds since the loader was made. `source` gives the samples' names, `moves` the
  /// texts of tuning. The last entries are the current values of `book`.
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
  /// `value` by kind. sample: duration, sequence, row, index. batch and thread: duration, sequence.
  /// move: queue, workers, read_ahead, text. queue: filling, ready, leased. Other kinds: bytes of
  /// up to four accounts.
  static constexpr std::size_t values_an_event = 4;
  using Values = std::array<std::uint64_t, values_an_event>;
  struct Event {
    std::atomic<Kind> kind{Kind::none};  ///< stored last, when the other members are set
    std::uint8_t what = 0;               ///< Stage, Of, or the index of its first account
    Track track = 0;
    std::int64_t at_ns = 0;
    Values value{};
  };
  static_assert(sizeof(Event) == trace_event_bytes);

  /// The accounts of an event of this kind, beginning with `first`. At most values_an_event.
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
  struct Free {
    void operator()(Event* events) const noexcept { std::free(events); }
  };
  const std::unique_ptr<Event[], Free> events_;
  std::atomic<std::uint64_t> noted_{0};
  std::atomic<bool> tuned_{false};
};

}  // namespace weir::engine
