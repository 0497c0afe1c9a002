#include <numeric>
#include <thread>

#include "contract/laws/fixture.hpp"
#include "proof/configurations/images.hpp"
#include "support/catch.hpp"

using namespace weir;
using namespace weir::test;

TEST_CASE("the accounts add up to the live bytes at any moment", "[law]") {
  const bool steps = GENERATE(false, true);
  auto upstream = std::make_shared<CountingUpstream>();
  auto options = small_options(steps);
  options.memory.upstream = upstream;
  options.queue.max_queue_size = 3;
  Loader loader(synthetic(40, {30, 40}), options);
  Monitor monitor(loader, [](const Snapshot& now, const Plan&) {
    return sum(now.memory) == now.memory.live ? std::string() : "accounts and live differ";
  });
  {
    auto stream = loader.stream({.epochs = 3});
    for (auto& batch : stream) {
      CHECK(batch.size() == 4);
      while (monitor.looks() == 0) std::this_thread::yield();
      // Only slabs come from the upstream, and every slab is on the books.
      const auto now = loader.snapshot().memory;
      CHECK(staging(now) <= upstream->outstanding() + loader.plan().slab_bytes);
    }
  }
  CHECK(monitor.complaint().empty());
  CHECK(monitor.looks() > 0);
  const auto now = loader.snapshot().memory;
  CHECK(staging(now) == upstream->outstanding());
  CHECK(now.live == staging(now) + now[Account::index]);
  CHECK(loader.ledger().snapshot().live == now.live);
}

TEST_CASE("the columns of the slabs add up to their accounts", "[law]") {
  const auto mode = GENERATE(Sizes::fixed, Sizes::padded, Sizes::ragged);
  auto options = small_options();
  options.annotation_bytes = 37;
  options.queue.max_queue_size = 3;
  options.sizes.mode = mode;
  const auto source = synthetic(40, {30, 40});
  if (mode != Sizes::fixed) options.sizes.index = measure_sizes(source, options);
  Loader loader(source, options);
  const auto check = [&] {
    const auto now = loader.snapshot();
    const auto& slabs = now.slabs;
    CHECK(slabs.images[0] + slabs.annotation + slabs.window + slabs.rest == staging(now.memory));
    return slabs;
  };
  CHECK(check().images[0] == 0);
  auto stream = loader.stream();
  auto batch = stream.next();
  stream.settle();
  const auto held = check();
  CHECK(held.images[0] > 0);
  if (mode == Sizes::fixed) CHECK(held.images[0] % (4 * 16 * 16 * 3) == 0);
  CHECK(held.annotation % (4 * 37) == 0);
  CHECK(held.window % (4 * sizeof(Window)) == 0);
  for (; batch; batch.reset(), batch = stream.next()) {
  }
  check();
}

TEST_CASE("live bytes never exceed the budget", "[law]") {
  const bool steps = GENERATE(false, true);
  auto upstream = std::make_shared<CountingUpstream>();
  auto options = small_options(steps);
  options.memory.upstream = upstream;
  options.memory.max_sample_bytes = 96 << 10;
  options.queue.max_queue_size = 16;
  options.workers = 4;
  const auto floor = resolve(options, 0).floor_bytes;
  for (const std::uint64_t spare : {0u, 1u, 5'000u, 100'000u, 6'000'000u}) {
    options.memory.budget_bytes = floor + spare;
    Loader loader(Flawed(60, 0, {90, 120}), options);
    Monitor monitor(loader, [](const Snapshot& now, const Plan& plan) {
      return now.memory.peak <= plan.budget_bytes.value_or(UINT64_MAX)
                 ? std::string()
                 : "live " + std::to_string(now.memory.live);
    });
    CHECK(drain(loader).indices.size() == 60);
    CHECK(monitor.complaint().empty());
    CHECK(upstream->peak() <= options.memory.budget_bytes);
  }
}

TEST_CASE("the peak is of one moment, within the plan's ceiling", "[law]") {
  const bool steps = GENERATE(false, true);
  auto upstream = std::make_shared<CountingUpstream>();
  auto options = small_options(steps);
  options.memory.upstream = upstream;
  options.queue.max_queue_size = 5;
  Loader loader(synthetic(80, {30, 40}), options);
  std::uint64_t seen = 0;
  {
    auto stream = loader.stream();
    auto batch = stream.next();
    stream.settle();
    for (; batch; batch.reset(), batch = stream.next())
      seen = std::max(seen, loader.snapshot().memory.live);
  }
  const auto now = loader.snapshot().memory;
  CHECK(now.peak >= seen);
  CHECK(std::accumulate(now.accounts_at_peak.begin(), now.accounts_at_peak.end(),
                        std::uint64_t{0}) == now.peak);
  // Six slabs existed at once: five ahead and one leased.
  CHECK(upstream->peak() == 6 * loader.plan().slab_bytes);
  CHECK(now.peak >= upstream->peak());
  CHECK(now.peak <= loader.plan().ceiling_bytes);
  loader.ledger().reset_peak();
  const auto later = loader.snapshot().memory;
  CHECK(later.peak == later.live);
  CHECK(later.accounts_at_peak == later.accounts);
  CHECK(loader.ledger().snapshot().peak == later.live);
}

TEST_CASE("the peak and the ceiling include a worker's two samples", "[law]") {
  // The PNG has more encoded bytes, the progressive JPEG needs more scratch.
  const auto png = make_png(220, 175, false), jpeg = make_jpeg(340, 260, true);
  auto options = small_options();
  options.batch = 2;
  options.workers = 1;
  options.queue.max_queue_size = 3;
  options.memory.max_sample_bytes = ByteBound::measured;
  Loader loader(Files({&png, &jpeg, &png, &jpeg, &png, &jpeg, &png, &jpeg}), options);
  {
    auto stream = loader.stream();
    const auto batch = stream.next();
    stream.settle();
  }
  const auto& plan = loader.plan();
  const auto peak = loader.snapshot().memory.peak;
  CHECK(peak == plan.data_ceiling_bytes);
  CHECK(peak > plan.index_bytes + plan.slabs * plan.slab_bytes + plan.max_sample_bytes);
  CHECK(peak < plan.ceiling_bytes);
}

TEST_CASE("a released batch returns the bytes that it held", "[law]") {
  const bool steps = GENERATE(false, true);
  auto upstream = std::make_shared<CountingUpstream>();
  auto ledger = std::make_shared<MemoryLedger>(std::nullopt);
  auto options = small_options(steps);
  options.memory.upstream = upstream;
  options.memory.ledger = ledger;
  options.queue.max_leases = 3;
  std::vector<Batch> kept;
  {
    Loader loader(synthetic(40, {30, 40}), options);
    auto stream = loader.stream();
    for (int i = 0; i < 3; ++i) kept.push_back(*stream.next());
    CHECK_THROWS_AS(stream.next(), Error);
    const auto before = ledger->snapshot()[Account::leased];
    const auto held = kept.back().bytes_held();
    kept.pop_back();
    CHECK(before - ledger->snapshot()[Account::leased] == held);
    kept.push_back(*stream.next());
  }
  // The loader is gone. Only the leases' bytes remain, until they are released.
  while (!kept.empty()) {
    const auto before = ledger->snapshot();
    CHECK(before.live == before[Account::leased]);
    CHECK(before.live == upstream->outstanding());
    const auto held = kept.front().bytes_held();
    kept.erase(kept.begin());
    CHECK(before.live - ledger->snapshot().live == held);
  }
  CHECK(ledger->snapshot().live == 0);
  CHECK(upstream->outstanding() == 0);
}

TEST_CASE("every stream ends at the floor of its budget", "[law]") {
  const bool steps = GENERATE(false, true);
  auto options = small_options(steps);
  options.memory.max_sample_bytes = steps ? 340'000 : 200'000;  // whole images, too
  options.workers = 5;
  options.queue.max_queue_size = 8;
  options.faults.policy = OnFault::blank;
  // Every fifth image needs almost all of max_sample_bytes at once.
  class Mixed {
   public:
    std::uint64_t size() const { return small_.size(); }
    Encoded read(std::uint64_t i, ByteSink& sink) const {
      return (i % 5 == 2 ? large_ : small_).read(i, sink);
    }
    std::string name(std::uint64_t i) const { return std::to_string(i); }
    std::uint64_t index_bytes() const { return 100; }

   private:
    AnySource small_ = synthetic(50, {20, 20}), large_ = synthetic(50, {190, 230});
  };
  for (const std::uint32_t read_ahead : {0u, 6u}) {
    options.io.read_ahead = read_ahead;
    options.memory.budget_bytes.reset();
    options.memory.budget_bytes = resolve(options, 100, 0, 50).floor_bytes;
    Loader loader(Mixed{}, options);
    const auto log = drain(loader, {.epochs = 2});
    CHECK(log.indices.size() == 100);
    CHECK(loader.snapshot().samples.failed == 0);
    CHECK(loader.snapshot().memory.peak <= options.memory.budget_bytes);
  }
  --*options.memory.budget_bytes;
  CHECK_THROWS_AS(Loader(Mixed{}, options), Error);
}

namespace {

/// Files by index. Each is a number of bytes that are not an image, or one valid image.
class Sized {
 public:
  explicit Sized(std::vector<std::size_t> junk_bytes) : junk_bytes_(std::move(junk_bytes)) {}
  std::uint64_t size() const { return junk_bytes_.size(); }
  Encoded read(std::uint64_t i, ByteSink& sink) const {
    if (junk_bytes_[i] == 0) return image_.read(i, sink);
    const auto bytes = sink.take(junk_bytes_[i]);
    std::ranges::fill(bytes, std::byte{'x'});
    return {bytes, 0};
  }
  std::string name(std::uint64_t i) const { return std::to_string(i); }
  std::uint64_t index_bytes() const { return 0; }

 private:
  std::vector<std::size_t> junk_bytes_;
  AnySource image_ = synthetic(100, {200, 200});
};

}  // namespace

TEST_CASE("progress: a replacement finds the whole reserve", "[law]") {
  auto options = small_options();
  options.faults.policy = OnFault::skip;
  options.memory.max_sample_bytes = 260'000;
  options.memory.budget_bytes = resolve(options, 0).floor_bytes;
  // Every other file fills the reserve and is not an image. Its replacement needs most of the reserve.
  std::vector<std::size_t> files(40);
  for (std::size_t i = 0; i < files.size(); i += 2) files[i] = 259'000;
  Loader loader(Sized(files), options);
  CHECK(drain(loader).indices.size() == files.size());
  CHECK(loader.snapshot().samples.replaced > 0);
}

TEST_CASE("progress: a read ahead that fails makes room for the next", "[law]") {
  auto options = small_options();
  options.faults.policy = OnFault::blank;
  options.io.read_ahead = 2;
  options.memory.max_sample_bytes = 260'000;
  // More bytes than any sample may have: refused before the read.
  Loader loader(Sized(std::vector<std::size_t>(40, 300'000)), options);
  CHECK(drain(loader).indices.size() == 40);
  CHECK(loader.snapshot().samples.failed == 40);
}
