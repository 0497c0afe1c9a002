#include <algorithm>
#include <stdexcept>

#include "contract/laws/fixture.hpp"
#include "source/sampler.hpp"
#include "support/catch.hpp"
#include "support/replacement.hpp"

using namespace weir;
using namespace weir::test;

namespace {

struct UsersOwn : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws a user-defined exception for one sample.
class Throwing {
 public:
  explicit Throwing(std::uint64_t at) : at_(at) {}
  std::uint64_t size() const { return good_.size(); }
  Encoded read(std::uint64_t i, ByteSink& sink) const {
    if (i == at_) throw UsersOwn("the user's \x01 database is away");
    return good_.read(i, sink);
  }
  std::string name(std::uint64_t i) const { return "t" + std::to_string(i); }
  std::uint64_t index_bytes() const { return 0; }

 private:
  AnySource good_ = synthetic(40, {24, 24});
  std::uint64_t at_;
};

}  // namespace

TEST_CASE("stop delivers every batch before the bad one and throws once", "[api][faults]") {
  for (int repeat = 0; repeat < 20; ++repeat) {
    Loader loader(Flawed(60, 8), small_options());  // bad: 3, 11, 19, …
    auto stream = loader.stream();
    CHECK_THROWS_WITH(stream.next(), has_text("flawed/3"));
    CHECK(stream.finished());
    CHECK_FALSE(stream.next());
  }
  Loader loader(Flawed(60, 20),
                small_options());  // the first bad one is row 3 of batch 0 … of batch 5
  Options later = small_options();
  later.batch = 2;
  Loader fine(Flawed(60, 20), later);
  auto stream = fine.stream();
  CHECK(stream.next());
  try {
    (void)stream.next();
    FAIL("the stream should have stopped");
  } catch (const Error& error) {
    CHECK(error.code() == Errc::sample_failed);
    CHECK(error.stage() == Stage::decode);
  }
  stream.settle();
  const auto t = fine.snapshot().samples;
  CHECK(t.conserved());
  CHECK(t.in_flight == 0);
  CHECK(t.consumed == 2);
  CHECK(t.failed >= 1);
}

TEST_CASE("the user's own exception reaches the consumer once, as is", "[api][faults]") {
  Loader loader(Throwing(9), small_options());
  auto stream = loader.stream();
  CHECK(stream.next());
  CHECK(stream.next());
  CHECK_FALSE(stream.finished());
  CHECK_THROWS_AS(stream.next(), UsersOwn);
  CHECK_FALSE(stream.next());
  const auto report = loader.report();
  REQUIRE(report.fault_count == 1);
  CHECK(report.faults[0].kind == FaultKind::io);
  CHECK(report.faults[0].stage == Stage::read);
  CHECK(report.faults[0].reason.find('\x01') == std::string::npos);
}

TEST_CASE("a batch is delivered if its last row ends as another fails", "[api][faults]") {
  for (int repeat = 0; repeat < 300; ++repeat) {
    auto options = small_options();
    options.workers = 3;
    options.batch = 2;
    Loader loader(Throwing(7), options);
    auto stream = loader.stream();
    int delivered = 0;
    try {
      while (stream.next()) ++delivered;
    } catch (const UsersOwn&) {
    }
    REQUIRE(delivered == 3);
  }
}

TEST_CASE("blank zeroes a bad row, says so and counts it as failed", "[api][faults]") {
  auto options = small_options();
  options.faults.policy = OnFault::blank;
  Loader loader(Flawed(40, 8), options);
  const auto log = drain(loader);
  REQUIRE(log.statuses.size() == 40);
  const auto image = static_cast<std::ptrdiff_t>(image_bytes(options.shape, PixelFormat::rgb8));
  for (std::size_t i = 0; i < 40; ++i) {
    const bool bad = i % 8 == 3;
    CHECK((log.statuses[i] == RowStatus::blank) == bad);
    CHECK(log.indices[i] == i);
    const auto begin = log.pixels.begin() + static_cast<std::ptrdiff_t>(i) * image;
    CHECK(std::all_of(begin, begin + image, [](auto v) { return v == 0; }) == bad);
    if (bad) CHECK(log.labels[i] == -1);
  }
  CHECK(loader.snapshot().samples.failed == 5);
  CHECK(loader.snapshot().samples.consumed == 35);
  CHECK(loader.report().faults.size() == 5);
}

TEST_CASE("skip fills a bad row with a sample that the index names", "[api][faults]") {
  auto options = small_options();
  options.faults.policy = OnFault::skip;
  const Flawed source(40, 8);
  Loader loader(source, options);
  const auto log = drain(loader);
  for (std::size_t i = 0; i < 40; ++i) {
    CHECK((log.statuses[i] == RowStatus::replaced) == source.bad(i));
    CHECK_FALSE(source.bad(log.indices[i]));
    if (!source.bad(i)) CHECK(log.indices[i] == i);
  }
  const auto t = loader.snapshot().samples;
  CHECK(t.replaced == 5);
  CHECK(t.drawn == 40 + t.failed);
  CHECK(t.consumed == 40);
}

TEST_CASE("skip draws replacements in the order of the sampler", "[api][faults]") {
  auto options = small_options();
  options.faults.policy = OnFault::skip;
  options.seed = 5;
  const Flawed flawed(16, 4);
  Loader loader(flawed, options);
  const auto log = drain(loader, {.epochs = 4});
  const source::Sampler sampler(16, Order::sequential(), 5);
  std::uint32_t longest = 0;
  for (std::uint64_t row = 0; row < log.indices.size(); ++row) {
    const auto epoch = row / 16, position = row % 16;
    auto index = position;
    std::uint32_t attempt = 0;
    while (flawed.bad(index))
      index = source::replacement(sampler, epoch, source::Position(position), ++attempt);
    CHECK(log.indices[row] == index);
    longest = std::max(longest, attempt);
  }
  CHECK(longest > 1);
}

TEST_CASE("a row that fails 64 times ends the stream", "[api][faults]") {
  class AllBad {
   public:
    std::uint64_t size() const { return 12; }
    Encoded read(std::uint64_t, ByteSink&) const { throw SampleError(FaultKind::io, "no"); }
    std::string name(std::uint64_t) const { throw std::runtime_error("no name either"); }
    std::uint64_t index_bytes() const { return 0; }
  };
  auto options = small_options();
  options.faults.policy = OnFault::skip;
  Loader loader(AllBad{}, options);
  auto stream = loader.stream();
  try {
    (void)stream.next();
    FAIL("the stream should have ended");
  } catch (const Error& error) {
    CHECK(error.code() == Errc::too_many_faults);
    CHECK(std::string(error.what()).find("row 0 of batch 0 failed 64 times") != std::string::npos);
  }
  stream.settle();
  CHECK(loader.snapshot().samples.conserved());
  CHECK(loader.snapshot().samples.in_flight == 0);
}

TEST_CASE("a stream beyond the tolerance always ends at the same batch", "[api][faults]") {
  for (int repeat = 0; repeat < 10; ++repeat) {
    auto options = small_options();
    options.faults.policy = repeat % 2 ? OnFault::skip : OnFault::blank;
    options.faults.tolerate = 2;
    Loader loader(Flawed(200, 20), options);  // bad: 3, 23, 43: batches 0, 5, 10
    auto stream = loader.stream();
    std::uint64_t batches = 0;
    try {
      while (stream.next()) ++batches;
      FAIL("the stream should have ended");
    } catch (const Error& error) {
      CHECK(error.code() == Errc::too_many_faults);
    }
    // A replacement may be bad, too, so the third fault may come earlier.
    CHECK(batches <= 10);
    if (options.faults.policy == OnFault::blank) CHECK(batches == 10);
  }
  auto options = small_options();
  options.faults.policy = OnFault::blank;
  options.faults.tolerate_share = 0.05;
  Loader within(Flawed(200, 20), options);
  CHECK(drain(within, {.epochs = 2}).indices.size() == 400);
  options.faults.tolerate_share = 0.04;
  Loader beyond(Flawed(200, 20), options);
  CHECK_THROWS_AS(drain(beyond), Error);
}

TEST_CASE("by default no number of faults is too many", "[api][faults]") {
  auto options = small_options();
  options.faults.policy = OnFault::skip;
  class MostlyBad {
   public:
    std::uint64_t size() const { return 30; }
    Encoded read(std::uint64_t i, ByteSink& sink) const {
      if (i % 10 != 0) throw SampleError(FaultKind::io, "away");
      return good_.read(i, sink);
    }
    std::string name(std::uint64_t i) const { return std::to_string(i); }
    std::uint64_t index_bytes() const { return 0; }

   private:
    AnySource good_ = synthetic(30, {24, 24});
  };
  Loader loader(MostlyBad{}, options);
  CHECK(drain(loader).indices.size() == 30);
  CHECK(loader.snapshot().samples.failed > 60);
}

TEST_CASE("a sample that can never fit is a fault that names the bytes", "[api][faults]") {
  auto options = small_options();
  options.faults.policy = OnFault::blank;
  options.memory.max_sample_bytes = 2000;
  Loader loader(synthetic(4, {200, 300}), options);
  const auto log = drain(loader);
  CHECK(std::ranges::count(log.statuses, RowStatus::blank) == 4);
  const auto report = loader.report();
  REQUIRE(report.fault_count == 4);
  CHECK(report.faults[0].kind == FaultKind::memory);
  CHECK(report.faults[0].reason.find("`max_sample_bytes` is 2000") != std::string::npos);
}
