#pragma once

#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "base/wakeable.hpp"
#include "books/book.hpp"
#include "buffer/block.hpp"
#include "conductor/conductor.hpp"
#include "conductor/work_queue.hpp"
#include "plan/workload.hpp"
#include "weir/advice.hpp"

namespace weir::simulation {

/// A stream in simulated time, event by event: the conductor and the books that the engine runs,
/// with workers, readers and a consumer whose work only takes the time that the workload says.
/// Workers and readers take what the engine's own work queue gives them, and charge, park and trim as
/// engine::RowWork does. Deciding takes no time. One use.
class Simulation final : private conductor::Actions {
 public:
  /// `plan` and `work` are of the same batch.
  Simulation(const Plan& plan, const Workload& work);
  ~Simulation() override;
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// What came of it, once warm; no bytes.
  Prediction run();

 private:
  using Time = std::int64_t;  ///< nanoseconds
  static Time nanoseconds(double seconds) noexcept {
    return static_cast<Time>(std::llround(seconds * 1e9));
  }

  struct Row : books::Waiter {
    explicit Row(books::Book& book) : encoded(book, Account::encoded) {}
    books::SlabId slab = 0;
    std::uint64_t number = 0;  ///< of the stream's rows: its place in the draws
    bool has_bytes = false, ahead = false;
    bool kept = false;  ///< from an earlier epoch: not to be read
    buffer::Block encoded;
  };
  enum class Phase : std::uint8_t { idle, reading, computing };
  struct Actor {
    Actor(books::Book& book, bool reads_only)
        : reader(reads_only), scratch(book, Account::scratch) {}
    bool reader;
    Phase phase = Phase::idle;
    Row* row = nullptr;
    conductor::RowRun run{};
    std::uint32_t done = 0, most_rows = 1;
    Time run_begun = 0, core_time = 0;
    double reading = 0;  ///< share of the time of what it is at: for a read
    buffer::Block scratch;
  };
  /// When, its number, which decides between events of one instant, and the actor.
  using Event = std::tuple<Time, std::uint64_t, std::uint32_t>;
  struct Waker final : Wakeable {
    void wake() noexcept override { pending = true; }
    bool pending = true;
  };

  // -- conductor
  bool make_slab() override;
  std::uint64_t untaken_rows() noexcept override { return queue_.untaken_rows(); }
  void trim_idle() noexcept override;
  void open(books::SlabId slab, const conductor::BatchSlot& batch) override;
  void resume(books::Waiter& waiter) override { queue_.resume(static_cast<Row&>(waiter)); }
  void publish(books::SlabId slab) noexcept override { ready_.push_back(slab); }
  void halt() noexcept override {}
  void end(conductor::End) noexcept override {}

  // -- clocks, as engine::LoaderStats and engine::SharedWorkQueue keep them
  /// Nanoseconds of workers by what it would take to shorten them.
  struct Effort {
    double storage = 0, decode = 0, memory = 0, idle = 0;
    void add(const Effort& more, double times) noexcept {
      storage += times * more.storage;
      decode += times * more.decode;
      memory += times * more.memory;
      idle += times * more.idle;
    }
  };
  /// What workers spend each nanosecond on from now on.
  Effort pace() const noexcept;
  void pass(Time until) noexcept;
  void set_reading(Actor& actor, double share) noexcept {
    reading_ += share - std::exchange(actor.reading, share);
  }
  void end_wait() noexcept;
  Verdict verdict(double seconds) const;

  // -- time
  void schedule(std::uint32_t actor, Time in);
  bool next_event();
  /// All that can happen at this instant.
  void settle();

  // -- workers and readers
  void advance(Actor& actor);
  /// Takes rows until one takes time, or there is none.
  void pull(Actor& actor);
  bool take(Actor& actor);
  void take_over(Actor& actor, Row& row);
  void begin_row(Actor& actor);
  /// False: refused its bytes, and parked; or it was there, and has arrived.
  bool start(Actor& actor);
  bool compute(Actor& actor);
  void seize_core(Actor& actor, Time for_time);
  void release_core();
  bool admit(Actor& actor, buffer::Block& block, std::uint64_t bytes);
  void park(Actor& actor);
  void arrive(Actor& actor);
  void finish(Actor& actor);
  Row& fresh_row();
  std::uint32_t id_of(const Actor& actor) const noexcept {
    return static_cast<std::uint32_t>(&actor - actors_.data());
  }

  // -- consumer
  void ask();
  void hand_over();

  const Plan plan_;
  const Workload& work_;
  const bool bounded_;  ///< by a budget: bytes are charged
  const bool fused_;    ///< a read and its decode are one event
  const std::uint32_t depth_;
  const std::uint64_t warm_, last_;  ///< batches delivered when measuring begins and ends

  std::shared_ptr<books::Ledger> ledger_;
  std::shared_ptr<Waker> waker_ = std::make_shared<Waker>();
  std::shared_ptr<books::Book> book_;
  const conductor::Schedule schedule_;
  std::unique_ptr<conductor::Conductor> conductor_;
  conductor::WorkQueue<Row*> queue_;

  std::deque<Row> rows_;
  std::vector<Row*> free_;
  std::vector<Actor> actors_;  ///< workers, then readers
  std::vector<Actor*> idle_workers_, idle_readers_;
  std::deque<Actor*> for_core_;
  std::uint32_t free_cores_, slabs_made_ = 0;

  std::deque<books::SlabId> ready_, leases_;
  bool requesting_ = false, found_ready_ = false;
  std::size_t hold_ = 0;  ///< batches to be ready before the first is handed over
  std::uint64_t delivered_ = 0, samples_ = 0, found_ = 0;
  Time requested_at_ = 0, waited_ = 0, measured_from_ = 0;
  Effort pace_, spent_, spent_before_;  ///< until now; when the consumer last asked
  Effort stalled_;      ///< nanoseconds that the consumer waited; idle: no part of it
  double reading_ = 0;  ///< workers that read

  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t order_ = 0;
  Time now_ = 0;
};

}  // namespace weir::simulation
