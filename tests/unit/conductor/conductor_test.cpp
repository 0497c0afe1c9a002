#include "conductor/conductor.hpp"

#include <functional>
#include <utility>
#include <vector>

#include "conductor/pull.hpp"
#include "conductor/scheduled_supply.hpp"
#include "support/catch.hpp"
#include "support/waker.hpp"

using namespace weir;
using namespace weir::conductor;
using test::Waker;

namespace {

/// A conductor over a page with room for three slabs. Rows end when the test says so.
struct Desk final : Actions {
  explicit Desk(const Schedule& schedule, const Policy& policy)
      : supply(schedule, source::Sampler(8, {}, 1)),
        book(std::make_shared<books::Book>(std::make_shared<books::Ledger>(1000),
                                           books::ShareLimits{100, 50, 20, UINT64_MAX, 3, 4})) {
    book->begin_stream(waker);
    conductor.emplace(*book, supply, policy, *this);
  }
  std::uint64_t bytes_of(const BatchSlot&) override { return book->limits().slab_bytes; }
  std::optional<books::SlabId> make_slab(std::uint64_t) override {
    if (slabs == 3 || !book->try_charge_slab()) return std::nullopt;
    book->add_slab(slabs);
    return slabs++;
  }
  std::uint64_t untaken_rows() noexcept override {
    if (on_untaken) std::exchange(on_untaken, nullptr)();
    return untaken;
  }
  void trim_idle() noexcept override { ++trims; }
  void open(books::SlabId slab, const BatchSlot& batch) override {
    opened.push_back(batch.sequence);
    slab_of.resize(batch.sequence + 1);
    slab_of[batch.sequence] = slab;
    if (on_open) on_open();
  }
  void resume(books::Waiter&) override {}
  void publish(books::SlabId slab) noexcept override {
    published.push_back(book->queue().ready == 0 ? UINT64_MAX : slab);
    if (takes_at_once) static_cast<void>(book->lease(slab));
  }
  void halt() noexcept override { ++halts; }
  void end(End why) noexcept override { ends.push_back(why); }

  void finish(std::uint64_t sequence, std::uint32_t row, bool ok = true) {
    if (book->finish_rows({.slab = slab_of[sequence], .first = row, .ok = ok})) waker->wake();
  }

  const ScheduledSupply supply;
  const std::shared_ptr<Waker> waker = std::make_shared<Waker>();
  std::shared_ptr<books::Book> book;
  std::optional<Conductor> conductor;
  std::function<void()> on_open, on_untaken;
  bool takes_at_once = false;
  std::uint32_t slabs = 0, trims = 0, halts = 0;
  std::uint64_t untaken = 0;
  std::vector<books::SlabId> slab_of;
  std::vector<std::uint64_t> opened, published;
  std::vector<End> ends;
};

constexpr Policy two_ahead{.max_queue_size = 2, .rows_ahead = 10, .tolerance = {}};

}  // namespace

TEST_CASE("a stream without batches is over at once", "[conductor]") {
  Desk desk(Schedule({.samples = 8, .batch = 2}, 2, 2), two_ahead);
  desk.conductor->step();
  CHECK(desk.opened.empty());
  CHECK(desk.ends == std::vector<End>{End::complete});
}

TEST_CASE("a batch of padding is published without an event", "[conductor]") {
  // The last step has one sample, for rank 0.
  Desk desk(Schedule({.samples = 5, .batch = 2, .rank = {1, 2}}, 1), two_ahead);
  desk.conductor->step();
  CHECK(desk.opened == std::vector<std::uint64_t>{0, 1});
  CHECK(desk.published.empty());
  desk.finish(0, 0);
  desk.finish(0, 1);
  desk.conductor->step();
  CHECK(desk.published.size() == 2);
  CHECK(desk.ends == std::vector<End>{End::complete});
  CHECK(desk.book->snapshot().samples.drawn == 2);

  // No row of this rank: no event follows the first step.
  Desk idle(Schedule({.samples = 1, .batch = 2, .rank = {1, 2}}, 1), two_ahead);
  idle.conductor->step();
  CHECK(idle.published.size() == 1);
  CHECK(idle.ends == std::vector<End>{End::complete});
}

TEST_CASE("a cancel while batches are opened opens no more", "[conductor][R14]") {
  Desk desk(Schedule({.samples = 20, .batch = 2}, 1), two_ahead);
  desk.on_open = [&] { desk.book->cancel(); };
  desk.conductor->step();
  CHECK(desk.opened.size() == 1);
  CHECK(desk.ends.empty());
  desk.conductor->step();
  CHECK(desk.ends == std::vector<End>{End::cancelled});
  CHECK(desk.halts == 1);
  CHECK_FALSE(desk.conductor->at_rest());
  desk.conductor->workers_left();
  CHECK(desk.conductor->at_rest());
  CHECK(desk.book->snapshot().samples.dropped == 2);
}

TEST_CASE("a lease wakes the conductor if it lacks rows", "[conductor]") {
  Desk desk(Schedule({.samples = 20, .batch = 2}, 1), two_ahead);
  const auto wakes = [&](const auto& change) {
    const auto before = desk.waker->count;
    change();
    return desk.waker->count - before;
  };
  desk.conductor->step();
  CHECK(desk.opened == std::vector<std::uint64_t>{0, 1});
  desk.finish(0, 0);
  desk.finish(0, 1);
  desk.conductor->step();
  const auto slab = desk.slab_of[0];
  CHECK(wakes([&] { CHECK(desk.book->lease(slab)); }) == 1);
  desk.conductor->step();
  CHECK(desk.opened.size() == 3);
  CHECK(wakes([&] { desk.book->release(slab, books::Parting::consumed, false); }) == 1);

  desk.finish(1, 0);
  desk.finish(1, 1);
  desk.untaken = two_ahead.rows_ahead;
  desk.conductor->step();
  const auto other = desk.slab_of[1];
  CHECK(wakes([&] { CHECK(desk.book->lease(other)); }) == 0);
  SECTION("and nobody else waits") {
    CHECK(wakes([&] { desk.book->release(other, books::Parting::consumed, false); }) == 0);
  }
  SECTION("and the consumer waits for its own lease") {
    desk.book->await_lease(true);
    CHECK(wakes([&] { desk.book->release(other, books::Parting::consumed, false); }) == 1);
  }
  SECTION("and the rows are taken") {
    desk.untaken = two_ahead.rows_ahead - 1;
    desk.conductor->step();
    CHECK(wakes([&] { desk.book->release(other, books::Parting::consumed, false); }) == 1);
  }
}

TEST_CASE("a lease during the step that publishes wakes nobody", "[conductor]") {
  Desk desk(Schedule({.samples = 20, .batch = 2}, 1), two_ahead);
  desk.on_open = [&] { desk.untaken = two_ahead.rows_ahead; };
  desk.takes_at_once = true;
  desk.conductor->step();
  CHECK(desk.opened.size() == 1);
  desk.untaken = 0;
  desk.finish(0, 0);
  desk.finish(0, 1);
  const auto before = desk.waker->count;
  desk.conductor->step();
  CHECK(desk.published.size() == 1);
  CHECK(desk.book->leased() == 1);
  CHECK(desk.opened.size() == 2);
  CHECK(desk.waker->count == before);
}

TEST_CASE("a slot that is free before it is awaited is used", "[conductor]") {
  Desk desk(Schedule({.samples = 20, .batch = 2}, 1), two_ahead);
  desk.conductor->step();
  desk.untaken = two_ahead.rows_ahead;
  desk.conductor->step();
  desk.untaken = 0;
  desk.finish(0, 0);
  desk.finish(0, 1);
  // The queue is full when the step looks, and no more when it says that it awaits a slot.
  desk.on_untaken = [&] { CHECK(desk.book->lease(desk.slab_of[0])); };
  const auto before = desk.waker->count;
  desk.conductor->step();
  CHECK(desk.waker->count == before);
  CHECK(desk.opened == std::vector<std::uint64_t>{0, 1, 2});
}

TEST_CASE("a failure outside any row ends the stream once", "[conductor]") {
  Desk desk(Schedule({.samples = 20, .batch = 2}, 1), two_ahead);
  desk.conductor->step();
  desk.conductor->fail();
  desk.conductor->fail();
  CHECK(desk.conductor->ended());
  CHECK(desk.ends == std::vector<End>{End::stopped});
  desk.conductor->step();
  CHECK(desk.ends.size() == 1);
  CHECK_FALSE(desk.conductor->at_rest());
}

TEST_CASE("a stream that workers leave early is not at rest", "[conductor]") {
  Desk desk(Schedule({.samples = 20, .batch = 2}, 1), two_ahead);
  desk.conductor->step();
  desk.conductor->workers_left();
  CHECK_FALSE(desk.conductor->at_rest());
  CHECK(desk.book->snapshot().filling == 0);
}

TEST_CASE("a queue drains if its bound is lowered and fills if raised", "[conductor]") {
  Desk desk(Schedule({.samples = 20, .batch = 1}, 1), two_ahead);
  desk.conductor->step();
  CHECK(desk.opened.size() == 2);
  desk.conductor->set_bounds(1, 10);
  desk.finish(0, 0);
  desk.conductor->step();
  CHECK(desk.published.size() == 1);
  REQUIRE(desk.book->lease(desk.slab_of[0]));
  desk.conductor->step();
  CHECK(desk.opened.size() == 2);
  desk.conductor->set_bounds(2, 10);
  desk.conductor->step();
  CHECK(desk.opened.size() == 3);
  desk.conductor->set_bounds(2, 0);
  desk.book->release(desk.slab_of[0], books::Parting::consumed, false);
  desk.finish(1, 0);
  desk.conductor->step();
  REQUIRE(desk.book->lease(desk.slab_of[1]));
  desk.conductor->step();
  CHECK(desk.opened.size() == 3);  // enough rows are not taken yet
}

TEST_CASE("a share of faults counts only the epochs that have begun", "[conductor]") {
  // Ten samples in each epoch, batches of 2. A fifth may fail, so two in each epoch.
  const Policy fifth{.max_queue_size = 1, .rows_ahead = 10, .tolerance = {UINT64_MAX, 0.2}};
  Desk desk(Schedule({.samples = 10, .batch = 2}, 2), fifth);
  const auto batch = [&](std::uint64_t sequence, bool first_ok, bool second_ok) {
    desk.conductor->step();
    REQUIRE(desk.opened.size() == sequence + 1);
    desk.finish(sequence, 0, first_ok);
    desk.finish(sequence, 1, second_ok);
    desk.conductor->step();
    if (!desk.ends.empty()) return;
    REQUIRE(desk.book->lease(desk.slab_of[sequence]));
    desk.book->release(desk.slab_of[sequence], books::Parting::consumed, false);
  };
  batch(0, false, true);
  batch(1, true, false);
  for (std::uint64_t sequence = 2; sequence < 5; ++sequence) batch(sequence, true, true);
  batch(5, false, false);  // in the second epoch: two more
  CHECK(desk.ends.empty());
  batch(6, true, false);
  CHECK(desk.ends == std::vector<End>{End::too_many_faults});
  CHECK(desk.published.size() == 6);
}

TEST_CASE("blocks that nobody uses go before a slab is given up", "[conductor]") {
  Desk desk(Schedule({.samples = 20, .batch = 1}, 1),
            {.max_queue_size = 4, .rows_ahead = 10, .tolerance = {}});
  desk.conductor->step();
  CHECK(desk.opened.size() == 3);
  CHECK(desk.trims == 1);
}

TEST_CASE("runs of work grow with row speed and shrink at the end", "[conductor]") {
  CHECK(rows_ahead(3, 0) == 12);
  CHECK(rows_ahead(3, 40) == 40);
  CHECK(run_share(32, 2, 32) == 8);
  CHECK(run_share(32, 2, 3) == 3);
  CHECK(run_share(1, 2, 15) == 1);
  // A part of a run that is too small is not worth a turn at the queue.
  CHECK(run_share(128, 16, 256) == 16);
  CHECK(run_share(0, 16, 256) == 16);
  CHECK(rows_in_a_run(run_ns, 1, 9) == 1);
  CHECK(rows_in_a_run(1'000'000'000, 1, 9) == 1);
  CHECK(rows_in_a_run(run_ns / 4, 2, 9) == 8);
  CHECK(rows_in_a_run(1, 1, 9) == 18);
  CHECK(rows_in_a_run(1, 1, most_run_rows) == most_run_rows);
}
