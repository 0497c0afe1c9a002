#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "books/evictable.hpp"
#include "buffer/block.hpp"
#include "conductor/conductor.hpp"
#include "conductor/request_list.hpp"
#include "conductor/row_feed.hpp"
#include "conductor/scheduled_supply.hpp"
#include "unit/conductor/choices.hpp"
#include "unit/conductor/fingerprint.hpp"
#include "unit/conductor/scenario.hpp"

namespace weir::test {

/// Runs the conductor with virtual workers and a virtual consumer in one thread, one small step of
/// one actor at a time, as Choices decide. Workers do the same as engine::RowWorker and engine::SharedWorkQueue,
/// with one step between two postings. The model counts every byte and sample itself and compares
/// the counts with the books after each step: the laws, counted again outside the books.
///
/// A lost wake-up is detected in two ways: as a state in which no actor can move, and as one in
/// which the conductor would act if it were called. The model calls it after each step.
class Model final : public conductor::Actions {
 public:
  Model(const Scenario& scenario, Choices& choices);
  ~Model() override;

  /// Runs until the stream is over and everything is released. Empty if every law held; otherwise the breach.
  std::string run();

  /// True if the stream is over and everything is released.
  bool over() const;
  /// One step of an actor that can move. Empty, or the breach. `again`: this step was checked before.
  std::string step(bool again = false);
  /// Returns what is left after the end. The last call.
  std::string finish_stream();
  /// Everything that later steps depend on. Counters of the past are not included, because each
  /// step is checked by its own difference. Slabs and workers are distinguished by their contents,
  /// not by their number.
  Fingerprint fingerprint() const;
  bool someone_parked() const noexcept { return !parked_.empty(); }
  bool cancelled() const noexcept { return cancelled_; }
  /// A sample waits, and a piece of the cache is held.
  bool held_up() const noexcept { return keeper_ && keeper_->held() && book_->someone_waits(); }
  /// The number of pieces that the cache evicted for others.
  std::uint64_t gave() const noexcept { return keeper_ ? keeper_->gave : 0; }
  std::uint64_t faults() const noexcept { return tally_.failed; }

 private:
  /// The next step of a worker with its row.
  enum class Next : std::uint8_t { read, decode, decide, park, stop, finish, copy, end_run };
  struct Sample : books::Waiter {
    explicit Sample(books::Book& page) : book(page), encoded(page, Account::encoded) {}
    ~Sample() { book.discharge(account, granted); }
    Sample(const Sample&) = delete;
    Sample& operator=(const Sample&) = delete;
    books::Book& book;
    books::SlabId slab = 0;
    std::uint32_t attempt = 0;
    std::uint64_t epoch = 0, index = 0;
    source::Position position{};
    Next next = Next::read, after_park = Next::read;
    std::uint8_t refused = 0;  ///< number of refusals; it does not wait yet
    std::uint32_t read = 0;    ///< samples of the row in `encoded`
    bool exact = false;        ///< the block is never larger than they are
    bool ok = false;
    bool ahead = false;  ///< a reader took it, and no worker has
    buffer::Block encoded;
  };
  using SamplePtr = std::unique_ptr<Sample>;
  struct Worker {
    Worker(books::Book& book, std::uint32_t nth, bool reader)
        : number(nth),
          is_reader(reader),
          sample(std::make_unique<Sample>(book)),
          scratch(book, Account::scratch) {}
    std::uint32_t number;  ///< of all workers and readers
    bool is_reader;
    conductor::RowRun run{};
    books::EndedRows copied{.count = 0};  ///< not posted yet
    SamplePtr sample;                     ///< keeps its encoded bytes from row to row
    buffer::Block scratch;
    bool busy = false, listed = false, left = false;
  };
  struct Waker final : Wakeable {
    void wake() noexcept override { pending = true; }
    bool pending = true;
  };
  /// Another loader on the same ledger, which takes slabs and waits for slabs, independent of this one.
  struct Neighbour {
    std::shared_ptr<books::Book> book;
    std::shared_ptr<Waker> waker = std::make_shared<Waker>();
    std::uint32_t moves = 0;
    bool holds = false, waits = false;
  };
  /// A cache of pieces, like buffer::SampleCache, and the holders of its pieces. Pieces can be
  /// evicted unless they are held. A piece is offered one step after its last hold ends.
  class Keeper final : public books::Evictable {
   public:
    explicit Keeper(Model& model) : Evictable(*model.book_), model_(model) { attach(); }
    ~Keeper() override { detach(); }
    bool evict() noexcept override;
    /// True if there is a hold to release or an offer to make. release() does one of them.
    bool must_release() const noexcept { return offers > 0 || held(); }
    void release() noexcept;
    /// True if it can keep one more piece, or hold one.
    bool can_hold() const noexcept;
    void hold() noexcept;
    bool held() const noexcept;
    bool could_give() const noexcept;

    std::vector<std::uint32_t> holds;  ///< number of holds on each piece, the oldest first
    std::uint32_t offers = 0, moves = 0;
    std::uint64_t gave = 0;

   private:
    static bool may_hold(std::uint32_t count) noexcept { return count < 2; }
    Model& model_;
  };
  enum Actor : std::uint32_t {
    strand,
    ask,
    take,
    release,
    release_piece,
    cancel,
    neighbour,
    hold,
    pace,
    tune,
    first_worker
  };

  std::uint64_t bytes_of(const conductor::BatchSlot& batch) override {
    return batch_bytes(scenario_, batch.sequence);
  }
  std::optional<books::SlabId> make_slab(std::uint64_t bytes) override;
  void free_idle_slabs() noexcept override;
  void free_idle_slab() noexcept;
  std::uint64_t untaken_rows() noexcept override { return feed_.rows(); }
  void trim_idle() noexcept override;
  void open(books::SlabId slab, const conductor::BatchSlot& batch) override;
  void resume(books::Waiter& waiter) override;
  void publish(books::SlabId slab) noexcept override;
  void halt() noexcept override;
  void end(conductor::End why) noexcept override;

  /// Fills movers_. False if no actor of this stream can move.
  bool find_movers();
  bool can_move(const Worker& worker) const;
  /// Whether workers take fresh rows. Otherwise readers do.
  bool workers_read() const noexcept { return limits_.read_ahead == 0 || quick_; }
  /// A worker that tuning does not need now.
  bool is_benched(const Worker& worker) const noexcept {
    return !worker.is_reader && worker.number >= limits_.workers;
  }
  bool takes_fresh(const Worker& worker) const;
  bool takes_sample(const Worker& worker) const;
  SamplePtr spare_sample();
  void move(std::uint32_t actor);
  void move_strand();
  void move_neighbour();
  /// Sets other limits, as Engine::apply() does.
  void change_limits();
  bool charge_neighbour();
  bool offer_due() const noexcept { return keeper_ && keeper_->offers > 0; }
  void move_worker(Worker& worker);
  bool take_work(Worker& worker);
  void begin_row(Worker& worker);
  void advance(Worker& worker);
  void read(Worker& worker);
  void end_read(Sample& sample);
  bool admit(Worker& worker, buffer::Block& block, std::uint64_t bytes);
  bool may_fail(const Sample& sample);
  void park(Worker& worker);
  void fail(Worker& worker);
  void end_row(Worker& worker, bool ok);
  void release_memory(Worker& worker);
  void finish(Worker& worker);
  void copy(Worker& worker);
  void post_copied(Worker& worker);
  void draw(Sample& sample);
  void draw_again(const Sample& sample);
  void check_positions();
  void ask_for_batch();
  /// The trainer has what it asked for, and will ask no more.
  bool asked_enough() const noexcept;
  void end_requests();
  void check_request(const conductor::BatchSlot& batch);
  void take_batch();
  void release_batch(std::size_t nth);

  books::RowKey barrier() const noexcept {
    return parked_.empty() ? books::no_row : parked_.begin()->first;
  }
  books::RowKey oldest() const;
  std::uint32_t samples_of(books::SlabId slab) const;
  void check_idle_strand();
  std::uint64_t slab_bytes_made() const;
  std::string check();
  std::string check_bytes(const Snapshot& now);
  void breach(const std::string& what) {
    if (broken_.empty()) broken_ = what;
  }

  const Scenario scenario_;
  const source::Sampler sampler_;
  const conductor::ScheduledSupply scheduled_;
  Choices& choices_;
  std::uint64_t step_ = 0;
  std::shared_ptr<books::Ledger> ledger_;
  std::shared_ptr<books::Book> book_;
  std::shared_ptr<Waker> waker_ = std::make_shared<Waker>();
  std::unique_ptr<conductor::RequestList> requests_;  ///< null: epochs
  std::map<std::uint64_t, std::vector<std::uint64_t>> outstanding_;
  std::uint64_t asked_ = 0, rows_opened_ = 0;
  std::unique_ptr<conductor::Conductor> conductor_;
  conductor::RowFeed feed_{8};
  std::vector<Worker> workers_;
  /// `to_decode_`: read ahead, or resumed. `to_read_`: resumed before they were read.
  std::map<books::RowKey, SamplePtr> parked_, to_decode_, to_read_;
  std::uint32_t reads_ahead_ = 0;  ///< samples that are `ahead`
  bool quick_ = true;
  struct Limits {
    std::uint32_t workers, read_ahead, max_queue_size;
    std::uint64_t rows_ahead;
  };
  Limits limits_;  ///< now
  std::vector<SamplePtr> free_;
  std::deque<books::SlabId> ready_;
  std::vector<books::SlabId> leases_;
  Neighbour neighbour_;
  std::unique_ptr<Keeper> keeper_;
  std::vector<std::uint32_t> movers_;
  std::uint32_t may_fail_, pace_changes_, tunings_;
  bool halted_ = false, closed_ = false, told_left_ = false, cancelled_ = false;
  std::string broken_;

  // The model's own books.
  struct Batch {
    conductor::BatchSlot slot{};
    std::uint32_t lost = 0, faults = 0;
    bool filling = false;
  };
  std::vector<Batch> batches_;  ///< by slab
  std::uint32_t slabs_made_ = 0;
  std::vector<std::uint64_t> slab_bytes_;  ///< by slab; 0: it does not exist
  std::set<books::RowKey> unfinished_, waiting_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> positions_, indices_;  ///< drawn, by epoch
  SampleTally tally_;
  std::uint64_t opened_ = 0, published_ = 0, delivered_ = 0, published_faults_ = 0;
  std::uint64_t acts_ = 0;  ///< number of the conductor's actions
  books::RowKey stop_row_ = books::no_row, oldest_seen_{};
  bool intolerable_ = false;
  std::uint64_t peak_ = 0;
};

}  // namespace weir::test
