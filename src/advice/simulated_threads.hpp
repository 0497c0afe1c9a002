#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "advice/agenda.hpp"
#include "advice/workload.hpp"
#include "base/wakeable.hpp"
#include "books/book.hpp"
#include "buffer/block.hpp"
#include "conductor/schedule.hpp"
#include "conductor/work_queue.hpp"

namespace weir::advice {

/// The workers and readers of a simulated stream, and its work queue, which is the engine's own.
/// Work only takes the time in the workload. The threads charge, park and trim as
/// engine::RowWorker does.
///
/// A row stands for one sample, or in a large batch for a group of consecutive samples that a
/// thread processes one after the other. The group takes the time of all its samples and holds the
/// bytes of one.
class SimulatedThreads {
 public:
  /// Nanoseconds of workers, by cause, as in engine::LoaderStats.
  struct Effort {
    double storage = 0, decode = 0, memory = 0, idle = 0;
    double device = 0;  ///< only of the consumer's waits
    void add(const Effort& more, double times) noexcept {
      storage += times * more.storage;
      decode += times * more.decode;
      memory += times * more.memory;
      idle += times * more.idle;
    }
  };

  /// The number of samples that one row stands for.
  static std::uint32_t group_of(const Plan& plan, const Workload& work) noexcept;

  /// `samples`: the batches, in samples. `conductor` is woken when few rows are left. All
  /// references must stay valid.
  SimulatedThreads(const Plan& plan, const Workload& work, const conductor::Schedule& samples,
                   books::Book& book, Agenda& agenda, Wakeable& conductor);

  std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(actors_.size()); }
  std::uint64_t rows_ahead() const noexcept { return queue_.rows_ahead(); }
  std::uint64_t untaken_rows() const noexcept { return queue_.untaken_rows(); }
  void add(const conductor::RowRun& run) { queue_.add(run); }
  void resume(books::Waiter& waiter) { queue_.resume(static_cast<Row&>(waiter)); }
  void trim_idle() noexcept;

  /// The time of the thread's work has passed.
  void advance(std::uint32_t thread);
  /// Idle threads take what there is.
  void start_idle();
  /// How the workers spend each nanosecond from now on.
  Effort pace(bool batch_is_ready) const noexcept;

 private:
  using Time = Agenda::Time;
  struct Row : books::Waiter {
    explicit Row(books::Book& book) : encoded(book, Account::encoded) {}
    books::SlabId slab = 0;
    std::uint64_t number = 0;  ///< number of its first sample, which selects its draws
    std::uint32_t samples = 1;
    bool has_bytes = false, ahead = false;
    double missed = 1;  ///< share of its samples that no earlier epoch has cached
    buffer::Block encoded;
  };
  enum class Phase : std::uint8_t { idle, reading, computing };
  struct Actor {
    Actor(books::Book& book, bool reads_only)
        : reader(reads_only), scratch(book, Account::scratch) {}
    bool reader;
    bool reads_row = false;  ///< whether it reads its row itself
    Phase phase = Phase::idle;
    Row* row = nullptr;
    conductor::RowRun run{};
    std::uint32_t done = 0, most_rows = 1;
    Time run_begun = 0, core_time = 0;
    double reading = 0;  ///< share of a read in the current event
    buffer::Block scratch;
  };

  void start_idle(std::vector<Actor*>& idle);
  /// Takes rows until one needs time or no row is left.
  void pull(Actor& actor);
  bool take(Actor& actor);
  void take_over(Actor& actor, Row& row);
  void begin_row(Actor& actor);
  /// Returns false if the budget refused the bytes (the row is parked), or if the row needed no
  /// read and has arrived.
  bool start(Actor& actor);
  bool compute(Actor& actor);
  void seize_core(Actor& actor, Time for_time);
  void release_core();
  bool admit(Actor& actor, buffer::Block& block, std::uint64_t bytes);
  void park(Actor& actor);
  void arrive(Actor& actor);
  void finish(Actor& actor);
  Row& fresh_row();
  void set_reading(Actor& actor, double share) noexcept {
    reading_ += share - std::exchange(actor.reading, share);
  }
  std::uint32_t id_of(const Actor& actor) const noexcept {
    return static_cast<std::uint32_t>(&actor - actors_.data());
  }

  const Plan& plan_;
  const Workload& work_;
  const conductor::Schedule& samples_of_;
  books::Book& book_;
  Agenda& agenda_;
  Wakeable& conductor_;
  const bool bounded_;         ///< whether there is a budget, so that bytes are charged
  const bool fused_;           ///< whether a read and its decode are one event
  const std::uint32_t group_;  ///< samples per row

  conductor::WorkQueue<Row*> queue_;
  std::deque<Row> rows_;
  std::vector<Row*> free_;
  std::vector<Actor> actors_;  ///< workers, then readers
  std::vector<Actor*> idle_workers_, idle_readers_;
  std::deque<Actor*> for_core_;
  std::uint32_t free_cores_;
  double reading_ = 0;  ///< workers that read
};

}  // namespace weir::advice
