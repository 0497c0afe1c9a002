// The laws with images at their own sizes: padded, ragged, and padded in buckets.
#include <algorithm>
#include <map>
#include <numeric>

#include "contract/laws/breach.hpp"
#include "contract/laws/various.hpp"
#include "support/catch.hpp"

using namespace weir;
using namespace weir::test;

namespace {

/// Checks sums, budget and queue at any instant.
std::string queue_breach_of(const Snapshot& now, const Plan& plan) {
  const auto ahead = now.memory[Account::filling] + now.memory[Account::ready];
  if (plan.max_queue_bytes && ahead > *plan.max_queue_bytes && now.filling + now.ready > 1)
    return "queue bytes";
  return lease_breach_of(now, plan);
}

Various source_with_faults(std::uint64_t key = 1) {
  return Various(drawn_sizes(60, 70, key), {11, 40}, {3, 25});
}

}  // namespace

TEST_CASE("memory, samples and queue keep their laws where sizes differ", "[law][sizes]") {
  const int kind = GENERATE(0, 1, 2);
  const bool changing = GENERATE(false, true);
  const auto source = source_with_faults();
  for (const std::uint64_t spare : {0u, 1u, 9'000u, 400'000u}) {
    for (const bool bounded : {false, true}) {
      auto upstream = std::make_shared<CountingUpstream>();
      auto options = own_size_options(kind);
      options.memory.upstream = upstream;
      options.memory.max_sample_bytes = 256 << 10;
      if (changing) {
        options.sizes.max_height = options.sizes.max_width = 60;
        options.sizes.size = {"part", [](const SizeInput& in) {
                                const auto part = 1 + static_cast<std::uint32_t>(in.step % 4);
                                return scaled_within(in.image, {60 / part, 60 / part});
                              }};
      }
      options.sizes.index = measure_sizes(source, options);
      options.queue = {.max_queue_size = 12, .max_leases = 2};
      if (bounded) options.queue.max_bytes = 30'000;
      options.faults.policy = OnFault::blank;
      options.order = Order::shuffle();
      options.memory.budget_bytes = resolve(options, 0).floor_bytes + spare;
      Loader loader(source, options);
      Monitor monitor(loader, queue_breach_of);
      std::uint64_t rows = 0;
      {
        auto stream = loader.stream({.epochs = 2});
        std::optional<Batch> before;
        while (auto batch = stream.next()) {
          rows += batch->size();
          before = std::move(batch);
        }
      }
      CHECK(monitor.complaint() == "");
      CHECK(rows == 120);
      CHECK(upstream->peak() <= options.memory.budget_bytes);
      const auto now = loader.snapshot();
      CHECK(staging(now.memory) == upstream->outstanding());
      CHECK(now.samples.consumed == 120 - 8);
      CHECK(now.samples.failed == 8);
    }
  }
}

TEST_CASE("a budget one byte below the largest batch's floor is refused", "[law][sizes]") {
  const int kind = GENERATE(0, 1, 2);
  auto options = own_size_options(kind);
  const auto source = source_with_faults();
  options.sizes.index = measure_sizes(source, options);
  const auto floor = resolve(options, 0).floor_bytes;
  options.memory.budget_bytes = floor - 1;
  CHECK_THROWS_WITH(Loader(source, options),
                    has_text("exactly " + std::to_string(floor) + " bytes"));
}

TEST_CASE("a released batch returns its bytes where sizes differ", "[law][sizes]") {
  const int kind = GENERATE(0, 1, 2);
  auto options = own_size_options(kind);
  options.faults.policy = OnFault::skip;
  options.queue.max_leases = 3;
  Loader loader(source_with_faults(), options);
  auto stream = loader.stream({.epochs = 2});
  std::vector<Batch> out;
  for (;;) {
    if (out.size() == 3) {
      const auto before = loader.snapshot().memory[Account::leased];
      const auto bytes = out[1].bytes_held();
      out.erase(out.begin() + 1);
      REQUIRE(before - loader.snapshot().memory[Account::leased] == bytes);
    }
    auto batch = stream.next();
    if (!batch) break;
    out.push_back(std::move(*batch));
    std::uint64_t held = 0;
    for (const auto& one : out) held += one.bytes_held();
    REQUIRE(loader.snapshot().memory[Account::leased] == held);
    REQUIRE(out.back().bytes_held() >= out.back().pixel_bytes().size());
  }
}

TEST_CASE("order, determinism and resume hold where sizes differ", "[law][sizes]") {
  const int kind = GENERATE(0, 1, 2);
  const auto source = source_with_faults(4);
  auto options = own_size_options(kind);
  options.order = Order::shuffle();
  options.faults.policy = OnFault::skip;
  options.memory.max_sample_bytes = 256 << 10;
  options.seed = 5;
  options.sizes.max_width = 60;
  options.sizes.index = measure_sizes(source, options);
  const auto run = [&](const Options& o, const StreamOptions& s = {.epochs = 2}) {
    Loader loader(source, o);
    return drain(loader, s);
  };
  const auto reference = run(options);
  CHECK(reference.indices.size() == 120);
  for (std::size_t i = 0; i < reference.sequences.size(); ++i) CHECK(reference.sequences[i] == i);
  for (auto machine : on_other_machines(options)) {
    if (machine.workers == 4) machine.queue.max_bytes = 20'000;
    CHECK(run(machine) == reference);
  }
  auto other = options;
  other.seed = 6;
  CHECK_FALSE(run(other).indices == reference.indices);
  // Continues from the seventh batch, without the ninth.
  auto progress = Loader(source, options).progress_after(7);
  progress.epochs.front().done.push_back({36, 40});
  const auto rest = run(options, {.resume = progress, .epochs = 2});
  std::vector<std::uint64_t> wanted(reference.indices.begin() + 28, reference.indices.end());
  wanted.erase(wanted.begin() + 8, wanted.begin() + 12);
  CHECK(rest.indices == wanted);
}

TEST_CASE("an epoch of mixed sizes has each sample once", "[law][sizes]") {
  const int kind = GENERATE(0, 1, 2);
  const Various source(drawn_sizes(61, 40));
  auto options = own_size_options(kind);
  options.order = Order::shuffle();
  options.drop_last = GENERATE(false, true);
  Loader loader(source, options);
  const auto log = drain(loader, {.epochs = 2});
  const std::size_t epoch = options.drop_last ? 60 : 61;
  REQUIRE(log.indices.size() == 2 * epoch);
  for (const auto from : {std::size_t{0}, epoch}) {
    const auto first = log.indices.begin() + static_cast<std::ptrdiff_t>(from);
    const std::set<std::uint64_t> seen(first, first + static_cast<std::ptrdiff_t>(epoch));
    CHECK(seen.size() == epoch);
  }
  CHECK(loader.snapshot().samples.omitted == (options.drop_last ? 2 : 0));
}

TEST_CASE("samples are conserved after a cancel where sizes differ", "[law][sizes]") {
  const int kind = GENERATE(0, 1, 2);
  const auto source = source_with_faults();
  auto upstream = std::make_shared<CountingUpstream>();
  for (std::uint64_t stop_at = 0; stop_at < 8; ++stop_at) {
    auto options = own_size_options(kind);
    options.faults.policy = OnFault::skip;
    options.memory.upstream = upstream;
    Loader loader(source, options);
    std::uint64_t consumed = 0;
    for (int again = 0; again < 2; ++again) {  // the next stream reuses idle slabs
      auto stream = loader.stream();
      for (std::uint64_t i = 0; i < stop_at; ++i) consumed += stream.next()->size();
      stream.cancel();
      CHECK_FALSE(stream.next());
    }
    const auto now = loader.snapshot();
    CHECK(now.samples.conserved());
    CHECK(now.samples.consumed == consumed);
    CHECK(now.samples.in_flight + now.samples.ready + now.samples.leased == 0);
    CHECK(staging(now.memory) == now.memory[Account::idle]);
    CHECK(staging(now.memory) == upstream->outstanding());
  }
  CHECK(upstream->outstanding() == 0);
}

TEST_CASE("two loaders of own sizes share the sum of their floors", "[law][sizes]") {
  const auto one = source_with_faults(1), two = source_with_faults(2);
  auto first = own_size_options(2), second = own_size_options(1);
  first.faults.policy = second.faults.policy = OnFault::blank;
  first.memory.max_sample_bytes = second.memory.max_sample_bytes = 256 << 10;
  first.sizes.index = measure_sizes(one, first);
  second.sizes.index = measure_sizes(two, second);
  const auto alone_first = [&] {
    Loader loader(one, first);
    return drain(loader);
  }();
  const auto alone_second = [&] {
    Loader loader(two, second);
    return drain(loader);
  }();
  const auto floors = resolve(first, 0).floor_bytes + resolve(second, 0).floor_bytes;
  const auto ledger = std::make_shared<MemoryLedger>(floors);
  first.memory.ledger = second.memory.ledger = ledger;
  Log a, b;
  {
    Loader x(one, first), y(two, second);
    const std::jthread other([&] { b = drain(y); });
    a = drain(x);
  }
  CHECK(a == alone_first);
  CHECK(b == alone_second);
  CHECK(ledger->snapshot().peak <= floors);
  CHECK(ledger->snapshot().live == 0);
}
