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

#include "advice/workload.hpp"
#include "base/wakeable.hpp"
#include "books/book.hpp"
#include "buffer/block.hpp"
#include "conductor/conductor.hpp"
#include "conductor/work_queue.hpp"
#include "weir/advice.hpp"

namespace weir::advice {

/// An event simulation of a stream. It uses the engine's own conductor, ledger and work queue. The
/// work of workers, readers and the consumer only takes the time in the workload. Workers and
/// readers charge, park and trim as engine::RowWorker does. Scheduling takes no time. Use each object
/// once.
///
/// A row stands for one sample, or in a large batch for a group of consecutive samples that a
/// thread processes one after the other. The group takes the time of all its samples and holds the
/// bytes of one.
class Simulation final : private conductor::Actions {
 public:
  /// `plan` and `work` must have the same batch size.
  Simulation(const Plan& plan, const Workload& work);
  ~Simulation() override;
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// Returns the result after the warm-up, without bytes. Throws Error{stopped}.
  Prediction run();

 private:
  using Time = std::int64_t;  ///< nanoseconds
  static Time nanoseconds(double seconds) noexcept {
    return static_cast<Time>(std::llround(seconds * 1e9));
  }

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
    Phase phase = Phase::idle;
    Row* row = nullptr;
    conductor::RowRun run{};
    std::uint32_t done = 0, most_rows = 1;
    Time run_begun = 0, core_time = 0;
    double reading = 0;  ///< share of a read in the current event
    buffer::Block scratch;
  };
  /// Time, sequence number (orders events of the same time) and actor, consumer() or device().
  using Event = std::tuple<Time, std::uint64_t, std::uint32_t>;
  struct Waker final : Wakeable {
    void wake() noexcept override { pending = true; }
    bool pending = true;
  };

  // -- conductor
  std::uint64_t bytes_of(const conductor::BatchSlot&) override { return plan_.slab_bytes; }
  std::optional<books::SlabId> fitting_slab(std::uint64_t, std::uint64_t) override {
    return book_->idle_slab();
  }
  std::optional<books::SlabId> make_slab(std::uint64_t bytes) override;
  std::uint64_t untaken_rows() noexcept override { return queue_.untaken_rows(); }
  void trim_idle() noexcept override;
  void open(books::SlabId slab, const conductor::BatchSlot& batch) override;
  void resume(books::Waiter& waiter) override { queue_.resume(static_cast<Row&>(waiter)); }
  void publish(books::SlabId slab) noexcept override { ready_.push_back(slab); }
  void halt() noexcept override {}
  void end(conductor::End) noexcept override {}

  // -- statistics, as in engine::LoaderStats and engine::SharedWorkQueue
  /// Nanoseconds of workers, by cause.
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
  /// How the workers spend each nanosecond from now on.
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
  /// Processes everything that can happen at the current time.
  void settle();

  // -- workers and readers
  void advance(Actor& actor);
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
  std::uint32_t id_of(const Actor& actor) const noexcept {
    return static_cast<std::uint32_t>(&actor - actors_.data());
  }

  // -- consumer
  void ask();
  void request();
  void hand_over();
  /// The device has read the oldest leased batch.
  void end_copy();
  std::uint32_t consumer() const noexcept { return static_cast<std::uint32_t>(actors_.size()); }
  std::uint32_t device() const noexcept { return consumer() + 1; }

  const Plan plan_;
  const Workload& work_;
  const bool bounded_;         ///< whether there is a budget, so that bytes are charged
  const bool fused_;           ///< whether a read and its decode are one event
  const std::uint32_t group_;  ///< samples per row
  const std::uint32_t depth_;
  const std::uint64_t warm_, last_;  ///< delivered batches at the start and end of the measurement

  std::shared_ptr<books::Ledger> ledger_;
  std::shared_ptr<Waker> waker_ = std::make_shared<Waker>();
  std::shared_ptr<books::Book> book_;
  const conductor::Schedule samples_of_;     ///< the stream's batches, in samples
  const conductor::ScheduledSupply supply_;  ///< the same batches, in rows
  std::unique_ptr<conductor::Conductor> conductor_;
  conductor::WorkQueue<Row*> queue_;

  std::deque<Row> rows_;
  std::vector<Row*> free_;
  std::vector<Actor> actors_;  ///< workers, then readers
  std::vector<Actor*> idle_workers_, idle_readers_;
  std::deque<Actor*> for_core_;
  std::uint32_t free_cores_, slabs_made_ = 0;

  std::deque<books::SlabId> ready_, leases_;
  bool requesting_ = false, found_ready_ = false, awaits_device_ = false;
  std::size_t hold_ = 0;  ///< number of ready batches that the first delivery requires
  std::uint64_t delivered_ = 0, samples_ = 0, found_ = 0;
  Time requested_at_ = 0, waited_ = 0, measured_from_ = 0;
  Time device_until_ = 0;               ///< when the device has read all that it was given
  Effort pace_, spent_, spent_before_;  ///< until now; at the consumer's last request
  Effort stalled_;      ///< nanoseconds that the consumer waited; idle does not count
  double reading_ = 0;  ///< workers that read

  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t order_ = 0;
  Time now_ = 0;
};

}  // namespace weir::advice
