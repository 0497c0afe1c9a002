#include <algorithm>
#include <chrono>
#include <cstring>
#include <set>
#include <stdexcept>
#include <thread>

#include "contract/laws/fixture.hpp"
#include "contract/stopping/gate.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"
#include "unit/codec/encoders.hpp"

using namespace weir;
using namespace weir::test;

namespace {

using codec::test::encode_jpeg;
using codec::test::encode_png;
using codec::test::pattern;

Scripted::File file(std::vector<std::byte> bytes) {
  return std::make_shared<const std::vector<std::byte>>(std::move(bytes));
}

/// A source in which every sample is the same file.
Scripted one(std::uint64_t count, const Scripted::File& bytes) {
  return {count, [bytes](auto) { return bytes; }};
}

/// The arguments of the transform, in the order of index.
struct Seen {
  std::uint64_t index, epoch, position;
  std::uint32_t attempt;
  std::int64_t label;
  std::uint64_t word;
  friend auto operator<=>(const Seen&, const Seen&) = default;
};

class Notes {
 public:
  void add(DecodedSample& s) {
    const std::lock_guard lock(mutex_);
    seen_.insert({s.index, s.epoch, s.position, s.attempt, s.label, s.random()});
  }
  std::set<Seen> all() {
    const std::lock_guard lock(mutex_);
    return seen_;
  }

 private:
  std::mutex mutex_;
  std::set<Seen> seen_;
};

TransformOptions call(std::function<void(DecodedSample&)> apply, std::uint64_t scratch = 0,
                      TransformInput input = TransformInput::decoded) {
  return {.apply = std::move(apply), .input = input, .scratch_bytes = scratch};
}

}  // namespace

TEST_CASE("a transform gets the whole upright image and a row of zeros", "[transform]") {
  const auto image = pattern(31, 23);
  const auto upright = encode_png(31, 23, image.values, {});
  for (const std::uint8_t orientation : {std::uint8_t{1}, std::uint8_t{6}}) {
    auto options = small_options();
    options.fit = Fit::random;
    std::atomic<int> wrong{0}, calls{0};
    options.transform = call([&](DecodedSample& s) {
      ++calls;
      const ImageSize expected = orientation == 1 ? ImageSize{23, 31} : ImageSize{31, 23};
      if (s.image.shape != expected || s.image.row_stride != expected.width * 3u) ++wrong;
      if (orientation == 1 && !std::equal(image.values.begin(), image.values.end(), s.image.data))
        ++wrong;
      if (!s.planes.empty() || s.annotation.room() != 0 || s.cancelled()) ++wrong;
      if (s.row.shape != ImageSize{16, 16} || s.row.row_stride != 48) ++wrong;
      if (std::any_of(s.row.data, s.row.data + 768, [](auto v) { return v != 0; })) ++wrong;
      std::memset(s.row.data, static_cast<int>(1 + s.index), 700);  // only a part of it
    });
    const auto jpeg = codec::test::with_exif(encode_jpeg(image), orientation);
    Loader loader(one(30, file(orientation == 1 ? upright : jpeg)), options);
    const auto log = drain(loader, {.epochs = 2});
    CHECK(wrong == 0);
    CHECK(calls == 60);
    for (std::size_t i = 0; i < 60; ++i) {
      CHECK(log.pixels[i * 768] == 1 + i % 30);
      // Bytes that it did not write are zero, whatever the slab held before.
      CHECK(log.pixels[i * 768 + 700] == 0);
    }
  }
}

TEST_CASE("a fitted transform changes in place what the fit made", "[transform]") {
  auto options = small_options();
  options.fit = Fit::random;
  options.order = Order::shuffle();
  const auto source = synthetic(30, {40, 50});
  Loader plain(source, options);
  const auto before = drain(plain);
  std::atomic<int> wrong{0};
  options.transform = call(
      [&](DecodedSample& s) {
        if (s.image.data != s.row.data || s.image.shape != s.row.shape) ++wrong;
        for (std::size_t i = 0; i < s.row.values(); ++i)
          s.row.data[i] = static_cast<std::uint8_t>(255 - s.row.data[i]);
      },
      0, TransformInput::fitted);
  Loader inverting(source, options);
  auto after = drain(inverting);
  CHECK(wrong == 0);
  CHECK_FALSE(after == before);
  for (auto& value : after.pixels) value = static_cast<std::uint8_t>(255 - value);
  CHECK(after == before);
}

TEST_CASE("a transform's draws depend on seed, epoch and position alone", "[transform]") {
  const auto run = [](std::uint32_t workers, std::uint64_t seed) {
    Notes notes;
    auto options = small_options();
    options.workers = workers;
    options.order = Order::shuffle();
    options.seed = seed;
    options.faults.policy = OnFault::skip;
    options.transform = call([&](DecodedSample& s) { notes.add(s); });
    Loader loader(Flawed(20, 7), options);
    CHECK(drain(loader, {.epochs = 2}).indices.size() == 40);
    return notes.all();
  };
  const auto seen = run(3, 5);
  REQUIRE(seen.size() == 40);
  std::set<std::uint64_t> words;
  std::uint64_t replaced = 0;
  for (const auto& s : seen) {
    CHECK((s.index < 20 && s.epoch < 2 && s.position < 20));
    // The random stream can be computed independently.
    CHECK(s.word == Random(5, s.epoch, s.position, s.attempt)());
    words.insert(s.word);
    replaced += s.attempt > 0 ? 1 : 0;
  }
  CHECK(words.size() == 40);
  CHECK(replaced >= 6);
  CHECK(run(1, 5) == seen);
  CHECK(run(7, 6) != seen);
}

TEST_CASE("the label that a transform leaves is the batch's", "[transform]") {
  auto options = small_options();
  options.transform = call([](DecodedSample& s) { s.label = -s.label - 100; });
  Loader loader(one(12, file(encode_jpeg(pattern(20, 20)))), options);
  const auto log = drain(loader);
  for (std::size_t i = 0; i < 12; ++i) CHECK(log.labels[i] == -100 - static_cast<int>(i));
}

TEST_CASE("scratch is on the books, and more than declared is a fault", "[transform]") {
  auto options = small_options();
  options.faults.policy = OnFault::blank;
  const Loader* books = nullptr;
  std::atomic<int> wrong{0};
  options.transform = call(
      [&](DecodedSample& s) {
        std::pmr::vector<std::byte> all(s.scratch);
        all.resize(100'000, std::byte{1});
        if (books->snapshot().memory[Account::scratch] < 100'000 + s.image.values()) ++wrong;
        if (s.index % 3 == 0) static_cast<void>(s.scratch->allocate(5, 1));
      },
      100'000);
  Loader loader(one(12, file(encode_jpeg(pattern(40, 30)))), options);
  books = &loader;
  const auto log = drain(loader);
  CHECK(wrong == 0);
  const auto report = loader.report();
  REQUIRE(report.fault_count == 4);
  CHECK(report.faults[0].kind == FaultKind::memory);
  CHECK(report.faults[0].stage == Stage::fit);
  CHECK(report.faults[0].reason ==
        "the transform asked for 5 bytes of scratch with 100000 in use, `transform.scratch_bytes` "
        "is 100000");
  CHECK(std::ranges::count(log.statuses, RowStatus::blank) == 4);
  CHECK(loader.snapshot().memory[Account::scratch] == 0);
}

TEST_CASE("max_sample_bytes limits images, scratch and encoded bytes", "[transform]") {
  auto options = small_options();
  options.faults.policy = OnFault::blank;
  const auto image = file(encode_png(100, 50, pattern(100, 50).values, {}));
  const std::uint64_t pixels = 15'040;                       // 100 * 50 * 3, padded to 64
  options.transform = call([](DecodedSample&) {}, 200'000);  // more than the decoder uses
  for (const bool fits : {true, false}) {
    const auto bound = image->size() + pixels + 200'000 - (fits ? 0 : 1);
    options.memory.max_sample_bytes = bound;
    Loader loader(one(8, image), options);
    (void)drain(loader);
    const auto report = loader.report();
    CHECK(report.fault_count == (fits ? 0 : 8));
    if (fits) continue;
    CHECK(report.faults[0].kind == FaultKind::memory);
    CHECK(contains(report.faults[0].reason, "needs " + std::to_string(bound + 1) + " bytes"));
  }
}

TEST_CASE("a transform that fails is met as the policy says", "[transform][R12]") {
  struct Own : std::runtime_error {
    using std::runtime_error::runtime_error;
  };
  auto options = small_options();
  options.annotation_bytes = 3;
  options.transform = call([](DecodedSample& s) {
    std::memset(s.row.data, 9, s.row.values());
    s.annotation.resize(3);
    std::ranges::fill(s.annotation.bytes(), std::byte{9});
    s.label = 77;
    if (s.index % 10 == 6) throw Own("no faces in it");
    if (s.index % 10 == 7) throw SampleError(FaultKind::limit, "too many faces");
  });
  const auto source = synthetic(20, {24, 24});

  SECTION("stop: the original exception, after the batches before") {
    Loader loader(source, options);
    auto stream = loader.stream();
    CHECK(stream.next());
    CHECK_THROWS_AS(stream.next(), Own);
    CHECK_FALSE(stream.next());
  }
  SECTION("stop: std::bad_alloc and what is no std::exception, as they were thrown") {
    options.transform.apply = [](DecodedSample&) { throw std::bad_alloc(); };
    Loader loader(source, options);
    CHECK_THROWS_AS(loader.stream().next(), std::bad_alloc);
    options.transform.apply = [](DecodedSample&) { throw 42; };
    Loader other(source, options);
    CHECK_THROWS_AS(other.stream().next(), int);
  }
  SECTION("stop: a SampleError becomes an Error of its stage, in its words") {
    options.transform.apply = [](DecodedSample&) {
      throw SampleError(FaultKind::limit, "too many faces");
    };
    Loader loader(source, options);
    auto stream = loader.stream();
    try {
      (void)stream.next();
      FAIL("the stream should have ended");
    } catch (const Error& error) {
      CHECK(error.code() == Errc::sample_failed);
      CHECK(error.stage() == Stage::fit);
      CHECK(contains(error.what(), "limit (too many faces)"));
    }
  }
  SECTION("blank: zeros, no annotation, and label -1") {
    options.faults.policy = OnFault::blank;
    Loader loader(source, options);
    const auto log = drain(loader);
    for (std::size_t i = 0; i < 20; ++i) {
      const bool bad = i % 10 == 6 || i % 10 == 7;
      CHECK((log.statuses[i] == RowStatus::blank) == bad);
      CHECK(log.labels[i] == (bad ? -1 : 77));
      CHECK(log.pixels[i * 768 + 5] == (bad ? 0 : 9));
      CHECK(log.annotation_lengths[i] == (bad ? 0 : 3));
    }
    const auto faults = loader.report().faults;
    REQUIRE(faults.size() == 4);
    for (const auto& fault : faults) {
      CHECK(fault.stage == Stage::fit);
      CHECK(fault.kind == (fault.index % 10 == 6 ? FaultKind::corrupt : FaultKind::limit));
      CHECK(fault.reason == (fault.index % 10 == 6 ? "no faces in it" : "too many faces"));
    }
  }
  SECTION("skip: another sample, transformed") {
    options.faults.policy = OnFault::skip;
    Loader loader(source, options);
    const auto log = drain(loader);
    for (std::size_t i = 0; i < 20; ++i) {
      CHECK((log.statuses[i] == RowStatus::replaced) == (i % 10 == 6 || i % 10 == 7));
      CHECK((log.indices[i] % 10 != 6 && log.indices[i] % 10 != 7));
      CHECK(log.labels[i] == 77);
    }
    CHECK(loader.snapshot().samples.conserved());
  }
}

TEST_CASE("a transform sees the end of its stream, which waits for it", "[transform][R8]") {
  std::atomic<bool> entered{false}, left{false};
  auto options = small_options();
  options.workers = 1;
  options.transform = call([&](DecodedSample& s) {
    entered = true;
    while (!s.cancelled()) std::this_thread::yield();
    left = true;
    throw std::runtime_error("left early");  // not a fault of the library
  });
  Loader loader(synthetic(20, {24, 24}), options);
  auto stream = std::make_unique<Stream>(loader.stream());
  while (!entered) std::this_thread::yield();
  stream->cancel();
  stream.reset();
  CHECK(left);
  CHECK(loader.report().fault_count == 0);
  CHECK(loader.snapshot().samples.conserved());
  CHECK(loader.snapshot().samples.dropped > 0);
}

TEST_CASE("a transform's time counts as fit, and the watchdog names it", "[transform]") {
  const auto gate = std::make_shared<Gate>();
  auto options = small_options();
  options.workers = 1;
  std::atomic<double> first_s{0};
  options.transform = call([&, gate](DecodedSample& sample) {
    const auto begun = std::chrono::steady_clock::now();
    gate->pass();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    if (sample.position == 0) first_s = took.count();
  });
  options.watchdog.after = std::chrono::milliseconds(40);
  std::atomic<bool> told{false};
  options.watchdog.on_stall = [&](const std::string& stall) {
    if (contains(stall, "waits for the transform of")) told = true;
  };
  Loader loader(synthetic(4, {24, 24}), options);
  auto stream = loader.stream();
  gate->await(1);
  const auto begun = std::chrono::steady_clock::now();
  std::thread opener([&] {
    while (!told && std::chrono::steady_clock::now() - begun < std::chrono::minutes(1))
      std::this_thread::yield();
    gate->open();
  });
  CHECK(stream.next());
  opener.join();
  CHECK(told);
  CHECK(first_s > 0);
  for (const auto& clock : loader.report().stages) {
    if (clock.stage == Stage::fit) CHECK(clock.busy_s >= first_s);
    if (clock.stage == Stage::fit || clock.stage == Stage::decode) CHECK(clock.count == 4);
  }
}
