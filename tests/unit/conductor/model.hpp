#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "buffer/block.hpp"
#include "conductor/conductor.hpp"
#include "conductor/row_feed.hpp"

namespace weir::test {

/// A small world for the conductor: how big, how tight, what goes wrong.
struct Scenario {
  std::uint64_t dataset = 7, epochs = 2;
  std::uint32_t batch = 3, workers = 2, max_queue_size = 2, max_leases = 1;
  std::uint64_t slab_bytes = 100, sample_bytes = 60, spare_bytes = 0;  ///< budget = floor + spare
  std::uint64_t fail_one_in = 0;                                       ///< 0: no faults
  bool stop_on_fault = false;  ///< else half are blanked, half replaced
  std::uint64_t tolerate = UINT64_MAX;
  std::uint64_t cancel_after = UINT64_MAX;  ///< model steps
};
Scenario random_scenario(std::uint64_t seed);

/// Runs the conductor with virtual workers and a virtual consumer in one thread, one small step of
/// one actor at a time, chosen by a seed. Keeps its own count of every byte and sample and compares
/// it with the books after each step: the laws, recounted outside.
class Model final : public conductor::Actions {
 public:
  Model(const Scenario& scenario, std::uint64_t seed);
  ~Model() override;
  /// Until the stream is over and all is released. Empty: every law held; else what broke.
  std::string run();

 private:
  struct Sample : books::Waiter {
    explicit Sample(books::Book& book) : encoded(book, Account::encoded) {}
    books::SlabId slab = 0;
    bool read = false, let_go = false;
    std::uint32_t attempt = 0;
    buffer::Block encoded;
  };
  using SamplePtr = std::unique_ptr<Sample>;
  struct Worker {
    explicit Worker(books::Book& book) : scratch(book, Account::scratch) {}
    conductor::RowRun run{};
    SamplePtr sample;
    buffer::Block scratch;
    bool left = false;
  };
  struct Waker final : Wakeable {
    void wake() noexcept override { pending = true; }
    bool pending = true;
  };

  bool make_slab() override;
  std::uint64_t untaken_rows() noexcept override { return feed_.rows(); }
  void trim_idle() noexcept override;
  void open(books::SlabId slab, const conductor::BatchSlot& batch) override;
  void resume(books::Waiter& waiter) override;
  void publish(books::SlabId slab) noexcept override;
  void halt() noexcept override { halted_ = true; }
  void end(conductor::End) noexcept override { closed_ = true; }

  bool move_strand();
  bool move_worker(Worker& worker);
  bool take_work(Worker& worker);
  void advance(Worker& worker);
  bool ensure(Worker& worker, buffer::Block& block, std::uint64_t bytes);
  void park(Worker& worker);
  void fail(Worker& worker);
  void release_memory(Worker& worker);
  void finish(Worker& worker, bool ok, bool replaced);
  bool move_consumer();
  void release(std::size_t nth);
  bool over() const;
  std::string check();
  void breach(const std::string& what) {
    if (broken_.empty()) broken_ = what;
  }

  const Scenario scenario_;
  RandomStream random_;
  std::uint64_t step_ = 0;
  std::shared_ptr<books::Ledger> ledger_;
  std::shared_ptr<books::Book> book_;
  std::shared_ptr<Waker> waker_ = std::make_shared<Waker>();
  std::unique_ptr<conductor::Conductor> conductor_;
  conductor::RowFeed feed_{8};
  std::uint64_t rows_ahead_ = 1;
  std::vector<Worker> workers_;
  std::map<books::RowKey, SamplePtr> parked_, resumed_;
  std::deque<books::SlabId> ready_;
  std::vector<books::SlabId> leases_;
  bool halted_ = false, closed_ = false, told_left_ = false, cancelled_ = false;
  std::string broken_;

  // The model's own books.
  std::uint32_t slabs_made_ = 0;
  std::map<books::SlabId, conductor::BatchSlot> filling_, batches_;
  std::map<books::SlabId, std::uint32_t> lost_;
  std::set<books::RowKey> unfinished_;
  SampleTally tally_;
  std::uint64_t next_delivery_ = 0, peak_ = 0;
};

}  // namespace weir::test
