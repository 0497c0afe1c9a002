#include "engine/shared_work_queue.hpp"

#include <atomic>
#include <thread>

#include "support/catch.hpp"

using namespace weir;
using namespace weir::engine;
using namespace std::chrono_literals;

namespace {

/// A work queue with one worker that finds no work. Workers of lower numbers are busy.
struct Desk {
  explicit Desk(std::uint32_t read_ahead, std::uint32_t number = 0)
      : work_queue(*book, stats,
                   Plan{.slabs = 2, .start = {.workers = number + 1, .read_ahead = read_ahead}}) {
    stats.stream_opened(number + 1, Clock::now());
    worker = std::thread([this, number] { work_queue.take_work(memory, number, 1); });
  }
  ~Desk() {
    work_queue.halt();
    worker.join();
  }
  Desk(const Desk&) = delete;
  Desk& operator=(const Desk&) = delete;

  /// True if `kind` of the worker's time grows within a minute.
  bool grows(double WorkerTime::*kind) {
    const double before = stats.queue(Clock::now()).workers.*kind;
    for (int i = 0; i < 60'000; ++i) {
      if (stats.queue(Clock::now()).workers.*kind > before + 0.02) return true;
      std::this_thread::sleep_for(1ms);
    }
    return false;
  }

  std::shared_ptr<books::Book> book = std::make_shared<books::Book>(
      std::make_shared<books::Ledger>(1000), books::ShareLimits{150, 100, 50, UINT64_MAX, 2, 4});
  LoaderStats stats{2};
  SharedWorkQueue work_queue;
  WorkerMemory memory{*book};
  std::thread worker;
};

}  // namespace

TEST_CASE("a worker with nothing to do is idle, and so is one that left", "[queue]") {
  Desk desk(0);
  CHECK(desk.grows(&WorkerTime::idle_s));
  desk.work_queue.halt();
  desk.worker.join();
  desk.worker = std::thread([] {});
  CHECK(desk.grows(&WorkerTime::idle_s));
}

TEST_CASE("a worker behind a parked sample waits for memory", "[queue]") {
  Desk desk(0);
  desk.stats.ready_changed(+1, Clock::now());
  CHECK(desk.grows(&WorkerTime::idle_s));
  auto sample = desk.work_queue.fresh_row();
  auto& waiting = *sample;
  desk.work_queue.park(std::move(sample));
  CHECK(desk.grows(&WorkerTime::memory_wait_s));
  // Its bytes are granted, so it can be taken.
  desk.work_queue.resume(waiting);
  desk.worker.join();
  desk.worker = std::thread([] {});
  CHECK(desk.grows(&WorkerTime::decode_s));
}

TEST_CASE("workers wait for a refused slab once the queue is told", "[queue]") {
  Desk desk(0);
  CHECK(desk.grows(&WorkerTime::idle_s));
  REQUIRE(desk.book->try_charge(Account::cache, 900));
  REQUIRE_FALSE(desk.book->try_charge_slab());
  desk.work_queue.note();
  CHECK(desk.grows(&WorkerTime::memory_wait_s));
}

TEST_CASE("a worker waits for storage while rows are unread or read", "[queue]") {
  Desk desk(1);
  CHECK(desk.grows(&WorkerTime::idle_s));
  desk.work_queue.open({.slab = 0, .sequence = 0, .first = 0, .count = 1});
  CHECK(desk.grows(&WorkerTime::storage_wait_s));
  WorkerMemory reader(*desk.book);
  CHECK(desk.work_queue.take_read(reader));
  CHECK(desk.grows(&WorkerTime::storage_wait_s));
}

TEST_CASE("a worker that is not wanted has no time of its own", "[queue]") {
  Desk desk(0);
  CHECK(desk.grows(&WorkerTime::idle_s));
  desk.work_queue.limit(0, 0);
  const auto before = desk.stats.queue(Clock::now());
  std::this_thread::sleep_for(20ms);
  const auto after = desk.stats.queue(Clock::now());
  CHECK(after.seconds > before.seconds);
  CHECK(after.workers.idle_s == before.workers.idle_s);
  CHECK(after.workers.decode_s == test::Approx(before.workers.decode_s));
  desk.work_queue.limit(1, 0);
  CHECK(desk.grows(&WorkerTime::idle_s));
}

TEST_CASE("a worker that is not wanted does not hide what the others do", "[queue]") {
  Desk desk(0, 1);
  CHECK(desk.grows(&WorkerTime::idle_s));
  desk.work_queue.limit(1, 0);
  CHECK(desk.grows(&WorkerTime::decode_s));
}
