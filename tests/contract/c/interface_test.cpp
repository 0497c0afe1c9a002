#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "c/source.hpp"
#include "support/catch.hpp"
#include "unit/source/conformance.hpp"
#include "weir/c.hpp"
#include "weir/loader.hpp"

using weir_c::Batch;

namespace {

constexpr auto data = "synthetic:50,40x60";
constexpr auto options =
    "batch=8,shape=24x32,fit=random,order=shuffle,seed=5,workers=2,queue.max_leases=2";

std::string text_of(const weir_error& error) { return error.text; }

/// What is equal in a batch of either interface.
void check_equal(const Batch& batch, const weir::Batch& other) {
  const auto info = batch.info();
  REQUIRE(info.rows == other.size());
  CHECK(info.sequence == other.sequence());
  CHECK(info.epoch == other.epoch());
  CHECK(info.global_rows == other.global_rows());
  CHECK(info.bytes_held == other.bytes_held());
  CHECK((info.last_of_epoch != 0) == other.last_of_epoch());
  const auto pixels = batch.column("pixels");
  const auto all = other.pixels();
  CHECK(std::vector<std::uint64_t>(pixels.shape, pixels.shape + 4) ==
        std::vector<std::uint64_t>{info.rows, all.shape.height, all.shape.width, 3});
  CHECK(
      std::vector<std::int64_t>(pixels.strides, pixels.strides + 4) ==
      std::vector<std::int64_t>{all.shape.height * all.shape.width * 3, all.shape.width * 3, 3, 1});
  CHECK(std::memcmp(pixels.data, all.pixels.data(), all.pixels.size()) == 0);
  CHECK(std::equal(other.labels().begin(), other.labels().end(),
                   batch.values<std::int64_t>("labels")));
  CHECK(std::equal(other.indices().begin(), other.indices().end(),
                   batch.values<std::uint64_t>("indices")));
  const auto& window = other.window(1);
  CHECK(batch.window(1).source[2] == window.source.width);
  CHECK(batch.window(1).target[3] == window.target.height);
  CHECK((batch.window(1).flip_horizontal != 0) == window.flip.horizontal);
  const auto row = batch.image(1);
  CHECK(std::vector<std::uint64_t>(row.shape, row.shape + 4) ==
        std::vector<std::uint64_t>{all.shape.height, all.shape.width, 3, 1});
  CHECK(row.data == static_cast<const std::uint8_t*>(pixels.data) + pixels.strides[0]);
}

void check_laws(const weir_c::Loader& loader) {
  const auto counts = loader.counts();
  const auto info = loader.info();
  CHECK(std::accumulate(std::begin(counts.accounts), std::end(counts.accounts), std::uint64_t{0}) ==
        counts.live);
  CHECK(counts.live <= counts.peak);
  CHECK(counts.peak <= counts.budget);
  CHECK(counts.drawn == counts.in_flight + counts.ready + counts.leased + counts.consumed +
                            counts.discarded + counts.dropped + counts.failed);
  CHECK(counts.batches_filling + counts.batches_ready <= info.max_queue_size);
  CHECK(counts.batches_leased <= info.max_leases);
}

/// The laws of `weir verify`, in what C reads.
void check_stream(const std::string& settings) {
  CAPTURE(settings);
  weir_c::Loader loader(data, settings + ",queue.max_leases=2,memory.budget_bytes=16MiB");
  loader.start(3);
  check_laws(loader);
  std::uint64_t taken = 0, rows = 0;
  Batch before, now;
  for (; loader.next(now); before = std::move(now)) {
    check_laws(loader);
    const auto info = now.info();
    CHECK(info.sequence == taken++);
    rows += info.rows;
    const auto held = info.bytes_held + (before ? before.info().bytes_held : 0);
    const auto counts = loader.counts();
    CHECK(counts.batches_leased == (before ? 2 : 1));
    CHECK(counts.accounts[5] == held);
    CHECK(counts.consumed + counts.leased == rows);
    if (before) before.release(true);
  }
  before.release(true);
  check_laws(loader);
  CHECK(taken == 3 * loader.info().batches_per_epoch);
  CHECK(loader.counts().consumed == rows);
  CHECK(loader.counts().partners ==
        (settings.find("partners.count=3") < settings.size() ? 3 : 0) * rows);
  CHECK(loader.counts().budget == 16u << 20);
}

std::vector<std::uint64_t> indices_of(const Batch& batch) {
  const auto* const first = batch.values<std::uint64_t>("indices");
  return {first, first + batch.info().rows};
}

}  // namespace

TEST_CASE("a batch through C is the batch of the library") {
  weir_c::Loader loader(data, options);
  weir::Loader same(weir::synthetic(50, {40, 60}), weir::Options::parse(options));
  CHECK(loader.info().samples == 50);
  CHECK(loader.info().batches_per_epoch == same.batches_per_epoch());
  CHECK(loader.info().ceiling_bytes == same.plan().ceiling_bytes);
  CHECK(loader.name(7) == same.name(7));
  CHECK(loader.class_name(7) == same.class_names()[7]);
  loader.start(2);
  auto stream = same.stream({.epochs = 2});
  Batch batch;
  std::uint64_t batches = 0;
  for (; loader.next(batch); ++batches) check_equal(batch, stream.next().value());
  CHECK(batches == 2 * same.batches_per_epoch());
  CHECK(loader.report().find("\"command\": \"run\"") != std::string::npos);
  loader.start(2, "", 1);
  REQUIRE(loader.next(batch));
  CHECK(batch.info().epoch == 1);
}

TEST_CASE("a row through C is the sample as it was read") {
  const auto* const settings = "batch=3,decode=none,workers=1";
  weir_c::Loader loader("synthetic:3,40x60", settings);
  weir::Loader same(weir::synthetic(3, {40, 60}), weir::Options::parse(settings));
  loader.start();
  Batch batch;
  REQUIRE(loader.next(batch));
  const auto other = same.stream().next().value();
  for (std::uint32_t i = 0; i < 3; ++i) {
    const auto row = batch.row("bytes", i);
    const auto encoded = other.encoded()[i].bytes;
    REQUIRE(row.shape[0] == encoded.size());
    CHECK(std::memcmp(row.data, encoded.data(), encoded.size()) == 0);
  }
  CHECK_THROWS_AS(batch.row("bytes", 3), weir_c::Error);
  CHECK_THROWS_AS(batch.image(0), weir_c::Error);
  CHECK_THROWS_AS(batch.values<std::uint8_t>("labels"), std::invalid_argument);
}

TEST_CASE("the laws hold in the counts that C reads") {
  for (const auto* settings :
       {"batch=8,shape=24x32,fit=random,order=shuffle,workers=2",
        "batch=8,shape=24x32,workers=1,queue.max_queue_size=1",
        "batch=8,shape=24x32,workers=1,io.read_ahead=4,faults.policy=skip",
        "batch=8,shape=24x32,workers=2,cache.keep=encoded,drop_last=true,order=shuffle",
        "batch=7,workers=2,sizes.mode=padded,sizes.max_height=32,sizes.max_width=32",
        "batch=7,workers=2,sizes.mode=ragged,sizes.max_height=32,sizes.max_width=32",
        "batch=8,shape=24x32,workers=2,partners.count=3,memory.max_sample_bytes=1MiB",
        "batch=8,workers=2,decode=none", "batch=8,shape=24x32,tuning.mode=automatic"})
    check_stream(settings);
}

TEST_CASE("progress as JSON resumes what was not finished") {
  weir_c::Loader loader(data, options);
  std::multiset<std::uint64_t> seen;
  std::string half;
  {
    loader.start();
    Batch batch;
    for (int i = 0; i < 4 && loader.next(batch); ++i)
      if (i != 2)
        for (const auto index : indices_of(batch)) seen.insert(index);
      else
        batch.release(false);  // it was not trained
    batch.finish();
    half = loader.progress();
    batch.release(true);
    loader.cancel();
    while (loader.next(batch)) batch.release(false);
  }
  loader.start(1, half);
  for (Batch batch; loader.next(batch);)
    for (const auto index : indices_of(batch)) seen.insert(index);
  CHECK(seen.size() == 50);
  CHECK(std::set<std::uint64_t>(seen.begin(), seen.end()).size() == 50);
}

TEST_CASE("a batch is unfinished only by an exception after it") {
  weir_c::Loader loader(data, options);
  struct Last {
    weir_c::Loader& loader;
    ~Last() {
      for (int i = 0; i < 2; ++i) {
        Batch batch;
        loader.next(batch);
      }
    }
  };
  loader.start();
  try {
    Batch thrown;
    REQUIRE(loader.next(thrown));
    const Last last{loader};
    throw std::runtime_error("a step");
  } catch (const std::runtime_error&) {
  }
  loader.cancel();
  Batch batch;
  REQUIRE_FALSE(loader.next(batch));
  loader.start(1, loader.progress());
  std::uint64_t rows = 0;
  while (loader.next(batch)) rows += batch.info().rows;
  CHECK(rows == 50 - 2 * 8);
}

TEST_CASE("a start that fails keeps the stream that has ended") {
  weir_c::Loader loader(data, options);
  loader.start();
  Batch held, batch;
  REQUIRE(loader.next(held));
  loader.cancel();
  REQUIRE_FALSE(loader.next(batch));
  const auto before = loader.progress();
  weir_c::Loader other("synthetic:51,40x60", options);
  other.start();
  CHECK_THROWS_AS(loader.start(1, other.progress()), weir_c::Error);
  CHECK(loader.progress() == before);
  CHECK_FALSE(loader.next(batch));
  loader.cancel();
  held.release(true);
  CHECK(loader.progress() != before);
}

TEST_CASE("a loader starts while other threads read and cancel") {
  weir_c::Loader loader("synthetic:300,8x8", "batch=100,shape=4x4,workers=1");
  loader.start();
  std::atomic<bool> done{false};
  std::atomic<int> failures{0};
  const auto repeat = [&](const auto& call) {
    return std::thread([&done, &failures, call] {
      while (!done) try {
          call();
        } catch (const weir_c::Error&) {
          ++failures;
        }
    });
  };
  auto reads = repeat([&] { static_cast<void>(loader.progress()); });
  auto cancels = repeat([&] { loader.cancel(); });
  for (int i = 0; i < 30; ++i) {
    for (Batch batch; loader.next(batch);) batch.release(true);
    try {
      loader.start();
    } catch (const weir_c::Error&) {
      ++failures;
      break;
    }
  }
  done = true;
  reads.join();
  cancels.join();
  CHECK(failures == 0);
}

TEST_CASE("an error names option, value, bound and way out") {
  weir_error error{};
  error.size = sizeof error;
  weir_loader* loader = nullptr;
  CHECK(weir_open(data, "batch=0", &loader, &error) == WEIR_BAD_OPTIONS);
  CHECK(error.code == WEIR_BAD_OPTIONS);
  CHECK(std::string(error.option) == "batch");
  CHECK(std::string(error.value) == "0");
  CHECK(std::string(error.bound).find("must be 1") != std::string::npos);
  CHECK_THAT(text_of(error), weir::test::has_text("`batch` = 0"));
  CHECK(weir_open(data, "memory.budget_bytes=1KiB", &loader, &error) == WEIR_BUDGET_TOO_SMALL);
  CHECK(std::string(error.option) == "memory.budget_bytes");
  CHECK(weir_open(data, "trace.events=9", &loader, &error) == WEIR_BAD_OPTIONS);
  CHECK_THAT(text_of(error), weir::test::has_text("no function of C writes the trace"));
  CHECK(weir_open("s", "", &loader, &error) == WEIR_SOURCE_FAILED);
  CHECK(error.option[0] == 0);
  CHECK_THAT(text_of(error),
             weir::test::has_text("s: no such folder or manifest; DATA is a folder"));
  CHECK(weir_open("s", "", &loader, nullptr) == WEIR_SOURCE_FAILED);
  CHECK(weir_open("https://host/x.tar", "", &loader, &error) == WEIR_BAD_OPTIONS);
  CHECK_THAT(text_of(error), weir::test::has_text("is not built yet; copy it into a folder"));
  CHECK(loader == nullptr);
}

TEST_CASE("data of one's own come through a callback") {
  const std::string image = "P5 2 2 255\nabcd";
  std::atomic<int> alive{0};
  struct Counted {
    std::atomic<int>* alive;
    explicit Counted(std::atomic<int>* count) : alive(count) { ++*alive; }
    Counted(const Counted& other) : alive(other.alive) { ++*alive; }
    ~Counted() { --*alive; }
  };
  {
    const Counted counted(&alive);
    weir_c::Loader loader(
        9,
        [&, counted](std::uint64_t index, weir_sink& sink) {
          if (index == 4) throw std::runtime_error("no sample 4");
          if (index == 5) return;
          weir_set_label(&sink, -static_cast<std::int64_t>(index));
          void* const room = weir_take(&sink, image.size());
          void* const note = room ? weir_take_annotation(&sink, 1) : nullptr;
          if (!note) return;
          std::memcpy(room, image.data(), image.size());
          std::memset(note, 'x', 1);
        },
        "shape=2x2,batch=9,pixels=grey8,faults.policy=blank,annotation_bytes=4");
    loader.start();
    Batch batch;
    REQUIRE(loader.next(batch));
    CHECK(batch.values<std::int64_t>("labels")[3] == -3);
    CHECK(batch.annotation(3) == "x");
    const auto* const statuses = batch.values<std::uint8_t>("statuses");
    CHECK(statuses[3] == 0);
    CHECK(statuses[4] == 3);
    CHECK(statuses[5] == 3);
    CHECK(std::memcmp(batch.image(8).data, "abcd", 4) == 0);
    CHECK_FALSE(loader.next(batch));
    const auto report = loader.report();
    CHECK(report.find("no sample 4") != std::string::npos);
    CHECK(report.find("did not call weir_take()") != std::string::npos);
  }
  CHECK(alive == 0);
  const auto kept = std::make_shared<int>();
  const auto read = [kept](std::uint64_t, weir_sink&) {};
  const auto users = kept.use_count();
  try {
    const weir_c::Loader refused(1, read, "batch=0");
    FAIL("no error");
  } catch (const weir_c::Error& e) {
    CHECK(e.code() == WEIR_BAD_OPTIONS);
    CHECK(std::string(e.details().option) == "batch");
  }
  CHECK(kept.use_count() == users);
}

TEST_CASE("a source in C keeps what sources promise") {
  weir_source described{};
  described.size = sizeof described;
  described.count = 2;
  described.read = [](void*, std::uint64_t index, weir_sink* sink) -> std::int32_t {
    weir_set_label(sink, static_cast<std::int64_t>(index));
    void* const note = weir_take_annotation(sink, index);  // also an empty one
    if (!note && weir_wants_annotation(sink)) return 0;
    void* const room = weir_take(sink, 3);
    if (!room) return 0;
    std::memset(room, 'a', 3);
    if (note) std::memset(note, 'b', index);
    return 0;
  };
  weir::test::check_source(weir::c::make_source(described));
}

TEST_CASE("a source that C opens is closed once if that fails") {
  int closed = 0;
  weir_source source{};
  source.self = &closed;
  source.close = [](void* self) { ++*static_cast<int*>(self); };
  weir_loader* loader = nullptr;
  CHECK(weir_open_source(&source, "", &loader, nullptr) == WEIR_MISUSE);
  CHECK(closed == 0);  // another struct
  source.size = sizeof source;
  CHECK(weir_open_source(&source, "", &loader, nullptr) == WEIR_MISUSE);
  CHECK(closed == 1);
  source.read = [](void*, std::uint64_t, weir_sink*) -> std::int32_t { return 0; };
  CHECK(weir_open_source(&source, "batch=0", &loader, nullptr) == WEIR_BAD_OPTIONS);
  CHECK(closed == 2);
  CHECK(weir_open_source(&source, "", nullptr, nullptr) == WEIR_MISUSE);
  CHECK(closed == 3);
}

TEST_CASE("a source in C knows why it gets no annotation") {
  const std::string image = "P5 2 2 255\nabcd";
  for (const bool wanted : {false, true}) {
    CAPTURE(wanted);
    std::atomic<int> again{0}, wishes{0};
    weir_c::Loader loader(
        8,
        [&](std::uint64_t index, weir_sink& sink) {
          void* const room = weir_take(&sink, image.size());
          if (!room) return;
          const auto bytes = 4000 + 1000 * index;  // more than the block of the sample before
          void* const note = weir_take_annotation(&sink, bytes);
          wishes += weir_wants_annotation(&sink);
          if (!note && weir_wants_annotation(&sink)) {
            ++again;  // `room` is freed
            return;
          }
          std::memcpy(room, image.data(), image.size());
          if (note) std::memset(note, 'x', bytes);
        },
        std::string("shape=2x2,batch=8,pixels=grey8,workers=1,annotation_bytes=") +
            (wanted ? "32KiB" : "0"));
    loader.start();
    Batch batch;
    REQUIRE(loader.next(batch));
    CHECK(std::memcmp(batch.image(7).data, "abcd", 4) == 0);
    CHECK((wishes > 0) == wanted);
    CHECK((again > 0) == wanted);
  }
}

TEST_CASE("a report in C has the error and the CPU time") {
  weir_c::Loader loader(
      2, [](std::uint64_t, weir_sink&) { throw std::runtime_error("no sample"); },
      "shape=2x2,batch=2,workers=1");
  const auto tells = [&](const char* text) {
    return loader.report().find(text) != std::string::npos;
  };
  loader.start();
  CHECK(tells("\"error\": null"));
  Batch batch;
  CHECK_THROWS_AS(loader.next(batch), weir_c::Error);
  CHECK_FALSE(tells("\"error\": null"));
  CHECK(tells("\"share_of_cpu\": "));
  CHECK_FALSE(tells("\"share_of_cpu\": 0.0,"));
  CHECK_FALSE(tells("\"share_of_cpu\": 0.0\n"));
  loader.start();
  CHECK(tells("\"error\": null"));
}

TEST_CASE("a report in C names no error where only leases are missing") {
  weir_c::Loader loader("synthetic:4,8x8", "shape=8x8,batch=2,queue.max_leases=2");
  loader.start();
  Batch first, second, third;
  REQUIRE(loader.next(first));
  REQUIRE(loader.next(second));
  CHECK_THROWS_AS(loader.next(third), weir_c::Error);
  CHECK(loader.report().find("\"error\": null") != std::string::npos);
}

TEST_CASE("a callback's sample waits until the budget has room") {
  const std::string image = "P5 2 2 255\nabcd";
  const std::string padding(100'000, ' ');
  weir_c::Loader loader(
      40,
      [&](std::uint64_t, weir_sink& sink) {
        const auto bytes = image + padding;
        if (void* const room = weir_take(&sink, bytes.size()))
          std::memcpy(room, bytes.data(), bytes.size());
      },
      "shape=2x2,batch=4,pixels=grey8,workers=4,memory.budget_bytes=600KiB,max_sample_bytes="
      "200KiB");
  loader.start();
  std::uint64_t rows = 0;
  for (Batch batch; loader.next(batch);) rows += batch.info().rows;
  CHECK(rows == 40);
  check_laws(loader);
}

TEST_CASE("a loader lives as long as a batch of it") {
  Batch kept;
  {
    weir_c::Loader loader(data, options);
    loader.start();
    REQUIRE(loader.next(kept));
  }
  CHECK(kept.values<std::uint8_t>("pixels") != nullptr);
  CHECK(kept.info().rows == 8);
}
