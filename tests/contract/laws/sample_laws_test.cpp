#include <algorithm>
#include <atomic>
#include <set>
#include <thread>

#include "contract/laws/fixture.hpp"
#include "support/catch.hpp"

using namespace weir;
using namespace weir::test;

namespace {

std::string conserved(const Snapshot& now, const Plan&) {
  const auto& t = now.samples;
  if (t.conserved()) return {};
  return "drawn " + std::to_string(t.drawn) + " in_flight " + std::to_string(t.in_flight) +
         " produced " + std::to_string(t.produced()) + " dropped " + std::to_string(t.dropped) +
         " failed " + std::to_string(t.failed);
}

std::string queue_bounds(const Snapshot& now, const Plan& plan) {
  if (now.filling + now.ready > plan.max_queue_size) return "filling + ready";
  if (now.leased > plan.max_leases) return "leased";
  return {};
}

}  // namespace

TEST_CASE("every drawn sample is in one count at any moment", "[law]") {
  const bool steps = GENERATE(false, true);
  for (const auto policy : {OnFault::blank, OnFault::skip}) {
    auto options = small_options(steps);
    options.faults.policy = policy;
    options.order = Order::shuffle();
    const Flawed source(50, 9);
    Loader loader(source, options);
    Monitor monitor(loader, conserved);
    std::uint64_t consumed = 0, discarded = 0, blank = 0, replaced = 0, n = 0;
    {
      auto stream = loader.stream({.epochs = 3});
      while (auto batch = stream.next()) {
        const auto statuses = batch->statuses();
        const auto blanks =
            static_cast<std::uint64_t>(std::ranges::count(statuses, RowStatus::blank));
        blank += blanks;
        replaced += static_cast<std::uint64_t>(std::ranges::count(statuses, RowStatus::replaced));
        const auto real = batch->size() - blanks;
        if (++n % 5 == 0) {
          discarded += real;
          std::move(*batch).discard();
        } else {
          consumed += real;
        }
      }
    }
    CHECK(monitor.complaint().empty());
    const auto t = loader.snapshot().samples;
    CHECK(t.conserved());
    CHECK(t.consumed == consumed);
    CHECK(t.discarded == discarded);
    CHECK(t.in_flight + t.ready + t.leased + t.dropped == 0);
    CHECK(t.replaced == replaced);
    CHECK(t.drawn == 150 + (policy == OnFault::skip ? t.failed : 0));
    CHECK(t.failed == loader.report().fault_count);
    if (policy == OnFault::blank) CHECK(t.failed == blank);
    // 50 samples, three epochs: every bad one was drawn in each.
    const auto bad = [&](std::uint64_t i) { return source.bad(i); };
    std::uint64_t all_bad = 0;
    for (std::uint64_t i = 0; i < 50; ++i) all_bad += bad(i) ? 3u : 0u;
    CHECK(t.failed >= all_bad);
  }
}

TEST_CASE("samples are conserved after a cancel at any batch", "[law]") {
  const bool steps = GENERATE(false, true);
  for (std::uint64_t stop_at = 0; stop_at < 8; ++stop_at) {
    Loader loader(Flawed(64, 0), small_options(steps));
    std::uint64_t consumed = 0;
    {
      auto stream = loader.stream();
      for (std::uint64_t i = 0; i < stop_at; ++i) consumed += stream.next()->size();
      stream.cancel();
      CHECK_FALSE(stream.next());
      CHECK(stream.finished());
      CHECK(loader.snapshot().samples.conserved());
    }
    const auto t = loader.snapshot().samples;
    CHECK(t.conserved());
    CHECK(t.consumed == consumed);
    CHECK(t.in_flight + t.ready + t.leased + t.failed == 0);
    CHECK(t.drawn == consumed + t.discarded + t.dropped);
  }
}

TEST_CASE("a queue fills to its bound and holds no more", "[law]") {
  const bool steps = GENERATE(false, true);
  for (const std::uint32_t depth : {1u, 3u}) {
    auto upstream = std::make_shared<CountingUpstream>();
    auto options = small_options(steps);
    options.memory.upstream = upstream;
    options.queue = {depth, 2};
    Loader loader(synthetic(80, {24, 24}), options);
    Monitor monitor(loader, queue_bounds);
    {
      auto stream = loader.stream();
      stream.settle();
      // The stream is settled and nothing is consumed: as many samples are drawn as the queue allows.
      CHECK(loader.snapshot().samples.drawn == std::uint64_t{depth} * options.batch);
      CHECK(loader.snapshot().ready == depth);
      CHECK(upstream->allocations() == depth);
      auto first = stream.next();
      auto second = stream.next();
      stream.settle();
      CHECK(loader.snapshot().samples.drawn == (std::uint64_t{depth} + 2) * options.batch);
      CHECK(upstream->allocations() == depth + 2);
      first.reset();
      second.reset();
      while (stream.next()) {
      }
    }
    CHECK(monitor.complaint().empty());
    CHECK(upstream->allocations() == depth + 2);
  }
}

TEST_CASE("batches and samples come in order with any workers", "[law]") {
  const bool steps = GENERATE(false, true);
  for (const std::uint32_t workers : {1u, 2u, 7u}) {
    auto options = small_options(steps);
    options.workers = workers;
    options.batch = 3;
    Loader loader(Flawed(31, 0), options);
    const auto log = drain(loader, {.epochs = 2});
    REQUIRE(log.sequences.size() == 22);
    for (std::size_t i = 0; i < log.sequences.size(); ++i) CHECK(log.sequences[i] == i);
    REQUIRE(log.indices.size() == 62);
    for (std::size_t i = 0; i < log.indices.size(); ++i) CHECK(log.indices[i] == i % 31);
  }
}

TEST_CASE("what is delivered is the same on any machine", "[law]") {
  const bool steps = GENERATE(false, true);
  auto options = small_options(steps);
  options.order = Order::shuffle();
  options.fit = Fit::random;
  options.faults.policy = OnFault::skip;
  options.memory.max_sample_bytes = 64 << 10;
  options.seed = 5;
  const auto run = [&](const Options& o) {
    Loader loader(Flawed(40, 7), o);
    return drain(loader, {.epochs = 2});
  };
  const auto reference = run(options);
  CHECK(reference.indices.size() == 80);
  for (const auto& other : on_other_machines(options)) CHECK(run(other) == reference);
  auto other = options;
  other.seed = 6;
  CHECK_FALSE(run(other).pixels == reference.pixels);
  if (steps) CHECK_FALSE(run(other).annotations == reference.annotations);
  other = options;
  other.fit = Fit::stretch;
  CHECK(run(other).indices == reference.indices);
  CHECK((run(other).pixels == reference.pixels) == steps);  // transforms ignore the fit
}

TEST_CASE("a resumed stream has the batches that were not finished", "[law]") {
  const bool steps = GENERATE(false, true);
  auto options = small_options(steps);
  options.order = Order::shuffle();
  options.queue.max_leases = 3;
  const Flawed source(30, 0);
  Loader whole(source, options);
  const auto reference = drain(whole, {.epochs = 2});
  std::vector<std::vector<std::uint64_t>> epochs;
  for (std::uint64_t epoch = 0; epoch < 2; ++epoch)
    epochs.emplace_back(reference.indices.begin() + static_cast<std::ptrdiff_t>(epoch * 30),
                        reference.indices.begin() + static_cast<std::ptrdiff_t>(epoch * 30 + 30));
  for (std::uint64_t released = 0; released <= 16; ++released) {
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<std::uint64_t>> seen;
    const auto note = [&](const Batch& batch) {
      const auto indices = batch.indices();
      const auto place = std::ranges::find(epochs[batch.epoch()], indices[0]);
      const auto position = static_cast<std::uint64_t>(place - epochs[batch.epoch()].begin());
      CHECK(seen.emplace(std::pair(batch.epoch(), position),
                         std::vector(indices.begin(), indices.end()))
                .second);
    };
    std::optional<Progress> progress;
    {
      Loader loader(source, options);
      auto stream = loader.stream({.epochs = 2});
      std::vector<Batch> out;
      std::uint64_t n = 0;
      while (n < released) {
        while (out.size() < 3) {
          auto batch = stream.next();
          if (!batch) break;
          out.push_back(std::move(*batch));
        }
        // The newest batch first: releases beyond the prefix must not be forgotten or repeated.
        note(out.back());
        if (n % 2 == 0) std::move(out.back()).discard();
        out.pop_back();
        ++n;
      }
      progress = stream.progress();
      // Batches in hand are not finished.
      for (auto& batch : out) (void)batch.receipt().abandon();
    }
    Loader loader(source, options);
    if (released == 0) CHECK(progress == loader.progress_after(0));
    auto stream = loader.stream({.resume = progress, .epochs = 2});
    for (auto& batch : stream) note(batch);
    std::vector<std::uint64_t> indices;
    for (const auto& [place, rows] : seen) indices.insert(indices.end(), rows.begin(), rows.end());
    CHECK(seen.size() == reference.sequences.size());
    CHECK(indices == reference.indices);
  }
}

namespace {

/// Images that are read in order, and only once the consumer has returned all batches but two.
class Paced {
 public:
  Paced(std::uint64_t count, const std::atomic<std::uint64_t>& returned)
      : images_(synthetic(count, {20, 30})), returned_(&returned) {}
  std::uint64_t size() const { return images_.size(); }
  Encoded read(std::uint64_t i, ByteSink& sink) const {
    while (i / batch > *returned_ + 1) std::this_thread::yield();
    return images_.read(i, sink);
  }
  std::string name(std::uint64_t i) const { return std::to_string(i); }
  std::uint64_t index_bytes() const { return 0; }
  static constexpr std::uint32_t batch = 8;

 private:
  AnySource images_;
  const std::atomic<std::uint64_t>* returned_;
};

}  // namespace

TEST_CASE("a queue that never fills takes no slabs that it does not use", "[law]") {
  auto upstream = std::make_shared<CountingUpstream>();
  auto options = small_options();
  options.memory.upstream = upstream;
  options.order = Order::sequential();
  options.workers = 1;
  options.batch = Paced::batch;
  options.queue.max_queue_size = 16;
  std::atomic<std::uint64_t> returned = 0;
  Loader loader(Paced(120, returned), options);
  auto stream = loader.stream();
  while (auto ready = stream.next()) {
    ready.reset();
    ++returned;
  }
  CHECK(returned == 15);
  CHECK(upstream->allocations() <= 4);
  CHECK(loader.snapshot().memory.peak <
        5 * loader.plan().slab_bytes + loader.plan().max_sample_bytes);
}
