#pragma once

#include <cstdint>
#include <deque>
#include <memory>

#include "advice/agenda.hpp"
#include "advice/simulated_threads.hpp"
#include "advice/workload.hpp"
#include "base/wakeable.hpp"
#include "books/book.hpp"
#include "conductor/conductor.hpp"
#include "conductor/scheduled_supply.hpp"
#include "weir/advice.hpp"

namespace weir::advice {

/// An event simulation of a stream: the engine's own conductor, ledger and work queue, with
/// simulated threads and a consumer that only takes the time in the workload. Scheduling takes no
/// time. Use each object once.
class Simulation final : private conductor::Actions {
 public:
  /// `plan` and `work` must have the same batch size, and stay valid.
  Simulation(const Plan& plan, const Workload& work);
  ~Simulation() override;
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// Returns the result after the warm-up, without bytes. Throws Error{stopped}.
  Prediction run();

 private:
  using Time = Agenda::Time;
  using Effort = SimulatedThreads::Effort;
  struct Waker final : Wakeable {
    void wake() noexcept override { pending = true; }
    bool pending = true;
  };

  // -- conductor
  std::uint64_t bytes_of(const conductor::BatchSlot&) override { return plan_.slab_bytes; }
  std::optional<books::SlabId> make_slab(std::uint64_t bytes) override;
  std::uint64_t untaken_rows() noexcept override { return threads_.untaken_rows(); }
  void trim_idle() noexcept override { threads_.trim_idle(); }
  void open(books::SlabId slab, const conductor::BatchSlot& batch) override {
    threads_.add({slab, batch.sequence, 0, batch.rows});
  }
  void resume(books::Waiter& waiter) override { threads_.resume(waiter); }
  void publish(books::SlabId slab) noexcept override { ready_.push_back(slab); }
  void halt() noexcept override {}
  void end(conductor::End) noexcept override {}

  // -- statistics, as in engine::LoaderStats and engine::SharedWorkQueue
  void end_wait() noexcept;
  Verdict verdict(double seconds) const;

  // -- time
  bool next_event();
  /// Processes everything that can happen at the current time.
  void settle();

  // -- consumer
  void ask();
  void request();
  void hand_over();
  void release_oldest();
  /// The device has read the oldest leased batch.
  void end_copy();
  std::uint32_t consumer() const noexcept { return threads_.count(); }
  std::uint32_t device() const noexcept { return consumer() + 1; }

  const Plan& plan_;
  const Workload& work_;
  const std::uint32_t depth_;
  const std::uint64_t warm_, last_;  ///< delivered batches at the start and end of the measurement

  std::shared_ptr<Waker> waker_ = std::make_shared<Waker>();
  std::shared_ptr<books::Book> book_;
  const conductor::Schedule samples_of_;     ///< the stream's batches, in samples
  const conductor::ScheduledSupply supply_;  ///< the same batches, in rows
  Agenda agenda_;
  SimulatedThreads threads_;
  conductor::Conductor conductor_;

  std::uint32_t slabs_made_ = 0;
  std::deque<books::SlabId> ready_, leases_;
  bool requesting_ = true, found_ready_ = false, awaits_device_ = false;
  std::size_t hold_ = 0;  ///< number of ready batches that the first delivery requires
  std::uint64_t delivered_ = 0, samples_ = 0, found_ = 0;
  Time requested_at_ = 0, waited_ = 0, measured_from_ = 0;
  Time device_until_ = 0;               ///< when the device has read all that it was given
  Effort pace_, spent_, spent_before_;  ///< until now; at the consumer's last request
  Effort stalled_;  ///< nanoseconds that the consumer waited; idle does not count
};

}  // namespace weir::advice
