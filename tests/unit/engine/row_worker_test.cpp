// RowWorker alone, without a loader and its threads: what becomes of one row.
#include "engine/row_worker.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>

#include "base/internals.hpp"
#include "codec/jpeg_part.hpp"
#include "conductor/scheduled_supply.hpp"
#include "plan/resolve.hpp"
#include "support/catch.hpp"
#include "support/found.hpp"
#include "support/waker.hpp"
#include "unit/codec/encoders.hpp"

using namespace weir;
using namespace weir::engine;
using codec::test::encode_jpeg, codec::test::encode_png, codec::test::pattern;
using Bytes = std::vector<std::byte>;

namespace {

constexpr std::uint32_t rows = 4;
constexpr std::uint16_t image_fill = 3, mask_fill = 9;

Bytes good_image() { return encode_jpeg(pattern(40, 30)); }
/// With bytes before its second marker: a warning of the decoder.
Bytes warned_image() {
  auto file = good_image();
  file.insert(file.begin() + 2, {std::byte{0xff}, std::byte{0}, std::byte{0}, std::byte{2}});
  return file;
}
Bytes good_mask() { return encode_png(40, 30, codec::test::Pixels(40 * 30, 7), {.colour = 0}); }
Bytes no_image() { return Bytes(20, std::byte{'x'}); }
Bytes cut(Bytes file) {
  file.resize(file.size() / 2);
  return file;
}

struct Sample {
  Bytes image = good_image();
  std::optional<Bytes> mask = good_mask();
  Bytes annotation{};
  bool mask_fails = false;      ///< the source cannot read it
  std::exception_ptr thrown{};  ///< by the source
};

/// Its samples have the labels 10, 11, …
class Samples {
 public:
  explicit Samples(Sample first) : all_(rows), reads_(std::make_shared<int>(0)) {
    all_[0] = std::move(first);
  }
  /// Calls of try_read().
  std::shared_ptr<const int> reads() const { return reads_; }
  std::uint64_t size() const { return all_.size(); }
  std::optional<Encoded> try_read(std::uint64_t i, ByteSink& sink) const {
    const auto& sample = all_[i];
    ++*reads_;
    if (sample.thrown) std::rethrow_exception(sample.thrown);
    Encoded read;
    read.label = 10 + static_cast<std::int64_t>(i);
    read.annotation = sample.annotation;
    const auto memory = sink.try_take(sample.image.size());
    if (!memory) return std::nullopt;
    std::ranges::copy(sample.image, memory->begin());
    read.bytes = *memory;
    const SampleError failed(FaultKind::io, "no access");
    const bool lacks = sample.mask_fails && sink.may_lack(0, failed);
    (void)read.planes.add(lacks || !sample.mask ? std::span<const std::byte>() : *sample.mask);
    return read;
  }
  std::string name(std::uint64_t i) const { return "s" + std::to_string(i); }
  std::uint64_t index_bytes() const { return 0; }
  std::vector<std::string> planes() const { return {"mask"}; }

 private:
  std::vector<Sample> all_;
  std::shared_ptr<int> reads_;
};

Options small() {
  Options options{.shape = {8, 8}, .batch = rows, .workers = 1};
  options.fill = {image_fill, image_fill, image_fill};
  options.planes = {{.name = "mask", .fill = {mask_fill}}};
  options.faults.policy = OnFault::blank;
  options.memory.max_sample_bytes = 100'000;
  return options;
}

/// A stream with one open batch of four rows, and one worker that this thread runs.
struct Scene {
  explicit Scene(const Options& options = small(), Sample first = {},
                 RowWorker::Duty duty = RowWorker::Duty::decode)
      : samples(std::move(first)),
        loader(samples, options, plan::resolve(options, {.samples = rows}), ledger,
               std::make_shared<books::Book>(Internals::books(*ledger), limits(options)), nullptr),
        shared(opened(), supply(), loader.sampler, waker),
        worker(shared, duty, loader.stats.worker(0), 0, nullptr) {
    shared.work_queue.limit(1, 1);
  }
  ~Scene() {
    shared.work_queue.halt();
    book().cancel();
    book().drop_front();
    book().end_stream();
  }
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  static books::ShareLimits limits(const Options& options) {
    const auto plan = plan::resolve(options, {.samples = rows});
    return {
        .reserve = plan.max_sample_bytes, .slab_bytes = plan.slab_bytes, .slabs = 1, .batch = rows};
  }
  LoaderState& opened() {
    loader.stats.stream_opened(1, Clock::now());
    book().begin_stream(waker);
    slab = loader.pool->make(loader.pool->layout().bytes);
    REQUIRE(slab);
    slab->rows = slab->samples = rows;
    book().open_batch(slab->id, 0, rows);
    return loader;
  }
  std::shared_ptr<conductor::Supply> supply() const {
    const conductor::Batching batching{.samples = rows, .batch = rows};
    return std::make_shared<conductor::ScheduledSupply>(conductor::Schedule(batching, 1),
                                                        loader.sampler);
  }
  books::Book& book() { return *loader.book; }
  RowOutcome process(std::uint32_t row) {
    auto outcome = worker.begin({slab->id, 0, row, 1}, row);
    return outcome == RowOutcome::proceed ? worker.run() : outcome;
  }
  /// The sample that the work queue has for a worker.
  RowPtr next() {
    auto task = shared.work_queue.take_work(worker.memory().idle(), 0, 1);
    REQUIRE(task);
    return std::move(task->sample);
  }
  bool image_is_fill(std::uint32_t row) const {
    return std::ranges::all_of(slab->pixels(row, 1),
                               [](auto value) { return value == image_fill; });
  }

  std::shared_ptr<MemoryLedger> ledger = std::make_shared<MemoryLedger>(10'000'000);
  Samples samples;
  LoaderState loader;
  std::shared_ptr<test::Waker> waker = std::make_shared<test::Waker>();
  buffer::Slab* slab = nullptr;
  Shared shared;
  RowWorker worker;
};

struct RowCase {
  std::string name;
  Sample sample{};
  RowStatus status = RowStatus::ok;
  PlaneStatus mask = PlaneStatus::ok;
  std::optional<FaultKind> fault{};  ///< the only one
  std::string reason{};              ///< a part of it
  OnFault policy = OnFault::blank;
  bool optional = false;  ///< the mask
  bool strict = true;
  std::uint64_t max_sample_bytes = 100'000;
};

std::vector<RowCase> cases() {
  using enum FaultKind;
  using enum RowStatus;
  const auto absent = PlaneStatus::absent, broken = PlaneStatus::broken;
  const auto thrown = [](const auto& error) { return std::make_exception_ptr(error); };
  return {
      {.name = "good"},
      {.name = "no image",
       .sample = {.image = no_image()},
       .status = blank,
       .mask = absent,
       .fault = unsupported,
       .reason = "first bytes 78"},
      {.name = "truncated",
       .sample = {.image = cut(good_image())},
       .status = blank,
       .mask = absent,
       .fault = truncated},
      {.name = "with a warning, not strict",
       .sample = {.image = warned_image()},
       .status = damaged,
       .strict = false},
      {.name = "no image, replaced",
       .sample = {.image = no_image()},
       .status = replaced,
       .fault = unsupported,
       .policy = OnFault::skip},
      {.name = "an optional mask that is absent",
       .sample = {.mask = std::nullopt},
       .mask = absent,
       .optional = true},
      {.name = "an optional mask that is no image",
       .sample = {.mask = no_image()},
       .mask = broken,
       .fault = unsupported,
       .reason = "plane mask: first bytes 78",
       .optional = true},
      {.name = "an optional mask that is cut",
       .sample = {.mask = cut(good_mask())},
       .mask = broken,
       .fault = truncated,
       .optional = true},
      {.name = "an optional mask that cannot be read",
       .sample = {.mask_fails = true},
       .mask = broken,
       .fault = io,
       .reason = "plane mask: no access",
       .optional = true},
      {.name = "a required mask that is absent",
       .sample = {.mask = std::nullopt},
       .status = blank,
       .mask = absent,
       .fault = io,
       .reason = "plane mask: the sample has none"},
      {.name = "a required mask that is cut",
       .sample = {.mask = cut(good_mask())},
       .status = blank,
       .mask = absent,
       .fault = truncated},
      {.name = "more bytes than max_sample_bytes to read",
       .status = blank,
       .mask = absent,
       .fault = memory,
       .reason = "`max_sample_bytes` is 600",
       .max_sample_bytes = 600},
      {.name = "more bytes than max_sample_bytes to decode",
       .status = blank,
       .mask = absent,
       .fault = memory,
       .reason = "`max_sample_bytes` is 4000",
       .max_sample_bytes = 4000},
      {.name = "a source without memory",
       .sample = {.thrown = thrown(std::bad_alloc())},
       .status = blank,
       .mask = absent,
       .fault = memory,
       .reason = "the allocator has no memory"},
      {.name = "a source that throws",
       .sample = {.thrown = thrown(std::runtime_error("lost"))},
       .status = blank,
       .mask = absent,
       .fault = io,
       .reason = "lost"},
      {.name = "an annotation beyond its room",
       .sample = {.annotation = Bytes(17)},
       .status = blank,
       .mask = absent,
       .fault = limit,
       .reason = "the annotation has 17 bytes"},
  };
}

}  // namespace

TEST_CASE("each row ends as its sample and the options say", "[engine]") {
  for (const auto& c : cases()) {
    CAPTURE(c.name);
    auto options = small();
    options.annotation_bytes = 16;
    options.planes[0].optional = c.optional;
    options.faults = {.policy = c.policy, .strict = c.strict};
    options.memory.max_sample_bytes = c.max_sample_bytes;
    Scene scene(options, c.sample);
    CHECK(scene.process(0) == RowOutcome::done);

    const bool blank = c.status == RowStatus::blank, replaced = c.status == RowStatus::replaced;
    const auto& slab = *scene.slab;
    CHECK(slab.statuses()[0] == c.status);
    CHECK((slab.indices()[0] == 0) != replaced);
    CHECK(slab.labels()[0] == (blank ? -1 : 10 + static_cast<std::int64_t>(slab.indices()[0])));
    CHECK(scene.image_is_fill(0) == blank);
    CHECK(slab.plane_statuses(1)[0] == c.mask);
    CHECK(slab.pixels(0, 1, 1)[0] == (c.mask == PlaneStatus::ok ? 7 : mask_fill));

    const auto faults = scene.loader.faults.read();
    REQUIRE(faults.first.size() == (c.fault ? 1 : 0));
    CHECK(faults.count() == (c.fault && (blank || replaced) ? 1 : 0));
    if (c.fault) {
      CHECK(faults.first[0].kind == *c.fault);
      CHECK(faults.first[0].index == 0);
      CAPTURE(faults.first[0].reason);
      CHECK(faults.first[0].reason.find(c.reason) != std::string::npos);
    }
    const auto samples = scene.book().snapshot().samples;
    CHECK(samples.failed == (blank || replaced ? 1 : 0));
    CHECK(samples.replaced == (replaced ? 1 : 0));
    CHECK(samples.conserved());
    CHECK(scene.book().queue().oldest == books::RowKey{0, 1});
  }
}

TEST_CASE("under stop a row ends the stream at itself, with its error", "[engine]") {
  auto options = small();
  options.faults.policy = OnFault::stop;
  Scene scene(options, {.image = no_image()});
  CHECK(scene.process(1) == RowOutcome::done);
  CHECK(scene.book().queue().stop == books::no_row);
  CHECK(scene.process(0) == RowOutcome::done);
  CHECK(scene.book().queue().stop == books::RowKey{0, 0});
  try {
    std::rethrow_exception(scene.shared.error.take());
  } catch (const Error& error) {
    CHECK(error.code() == Errc::sample_failed);
    CHECK(std::string(error.what()).find("s0: unsupported") != std::string::npos);
  }
}

TEST_CASE("under stop the error of a source is passed on as it is", "[engine]") {
  auto options = small();
  options.faults.policy = OnFault::stop;
  Scene scene(options, {.thrown = std::make_exception_ptr(std::out_of_range("mine"))});
  CHECK(scene.process(0) == RowOutcome::done);
  CHECK_THROWS_AS(std::rethrow_exception(scene.shared.error.take()), std::out_of_range);
}

TEST_CASE("a row parks with its bytes and goes on when it gets more", "[engine]") {
  Scene scene;
  // Row 1 may not use the reserve, and the rest is taken.
  const auto taken = scene.book().snapshot().memory;
  const auto read_alone = good_image().size() + 4096;
  REQUIRE(scene.book().try_charge(
      Account::cache, *taken.budget - taken.live - read_alone - scene.book().limits().reserve));
  CHECK(scene.process(1) == RowOutcome::parked);
  const auto parked = scene.shared.work_queue.parked();
  REQUIRE(parked.size() == 1);
  CHECK(parked[0].claim.row == books::RowKey{0, 1});
  CHECK(scene.book().snapshot().memory[Account::encoded] > 0);
  CHECK(scene.book().grant_oldest() == nullptr);
  CHECK(scene.process(0) == RowOutcome::done);  // the oldest row has the reserve

  scene.book().discharge(Account::cache, {1'000'000, false});
  auto* const granted = scene.book().grant_oldest();
  REQUIRE(granted);
  scene.shared.work_queue.resume(static_cast<Row&>(*granted));
  scene.worker.take_over(scene.next());
  CHECK(scene.worker.run() == RowOutcome::done);
  CHECK(scene.slab->statuses()[1] == RowStatus::ok);
  CHECK_FALSE(scene.image_is_fill(1));
  CHECK(scene.loader.faults.read().first.empty());
}

TEST_CASE("a row parks with the bytes of all its samples", "[engine][partners]") {
  auto options = small();
  options.partners.count = 2;
  options.transform = {.apply =
                           [](DecodedSample& sample) {
                             for (const auto& partner : sample.partners)
                               sample.label += 100 * partner.label;
                           },
                       .input = TransformInput::fitted};
  Scene scene(options);
  CHECK(scene.process(2) == RowOutcome::done);  // makes the blocks of its size
  const auto taken = scene.book().snapshot().memory;
  const auto encoded = taken[Account::encoded];
  CHECK(encoded >= 3 * good_image().size());
  scene.shared.work_queue.trim_idle();
  scene.worker.memory().idle().trim();
  const auto rest = scene.book().snapshot().memory;
  REQUIRE(scene.book().try_charge(
      Account::cache, *rest.budget - rest.live - encoded - 4096 - scene.book().limits().reserve));
  CHECK(scene.process(1) == RowOutcome::parked);
  CHECK(scene.book().snapshot().memory[Account::encoded] >= 3 * good_image().size());
  const auto reads = *scene.samples.reads();
  CHECK(scene.process(0) == RowOutcome::done);  // the oldest row has the reserve
  const auto more = *scene.samples.reads() - reads;

  scene.book().discharge(Account::cache, {1'000'000, false});
  auto* const granted = scene.book().grant_oldest();
  REQUIRE(granted);
  scene.shared.work_queue.resume(static_cast<Row&>(*granted));
  scene.worker.take_over(scene.next());
  CHECK(scene.worker.run() == RowOutcome::done);
  CHECK(*scene.samples.reads() == reads + more);  // the row has kept its bytes
  for (const std::uint32_t row : {0u, 1u, 2u}) {
    CHECK(scene.slab->statuses()[row] == RowStatus::ok);
    // The labels of two partners, and its own.
    CHECK(scene.slab->labels()[row] > 2000);
  }
  CHECK(scene.book().snapshot().samples.partners == 6);
  CHECK(scene.loader.faults.read().first.empty());
}

TEST_CASE("a row is read again only where its block grows", "[engine][partners]") {
  auto options = small();
  options.partners.count = 3;
  Scene scene(options);
  CHECK(scene.process(0) == RowOutcome::done);
  // One sample; two, for which there is no room; four in room for four.
  CHECK(*scene.samples.reads() == 2 + 4);
  CHECK(scene.process(1) == RowOutcome::done);
  CHECK(*scene.samples.reads() == 2 + 4 + 4);
  CHECK(scene.slab->statuses()[1] == RowStatus::ok);
}

TEST_CASE("the largest sample of a row that is too large has the fault", "[engine][partners]") {
  auto options = small();
  options.planes.clear();
  options.partners.count = 3;
  const auto large = encode_jpeg(pattern(400, 300));
  // Too much to read, wherever in the row it is; and too much to decode.
  for (const auto most :
       {large.size() + 2 * good_image().size(), large.size() + 4 * good_image().size()}) {
    options.memory.max_sample_bytes = most;
    Scene scene(options, {.image = large});
    CHECK(scene.process(1) == RowOutcome::done);
    CHECK(scene.process(2) == RowOutcome::done);
    const auto faults = scene.loader.faults.read();
    REQUIRE(faults.first.size() == 2);
    for (const std::size_t row : {0u, 1u}) {
      CHECK(faults.first[row].index == 0);
      CHECK(faults.first[row].kind == FaultKind::memory);
      CHECK(faults.first[row].reason.find("of the row of sample " + std::to_string(row + 1)) !=
            std::string::npos);
    }
  }
}

TEST_CASE("an encoded cache keeps a JPEG with tiles if there is memory", "[engine][cache]") {
  const auto image = encode_jpeg(pattern(256, 192));
  struct Case {
    std::uint64_t sample_bytes, cache_bytes;
    bool kept, tiled, fit;
  };
  for (const auto& [sample_bytes, cache_bytes, kept, tiled, fit] :
       {Case{2'000'000, 200'000, true, true, true}, Case{300'000, 200'000, true, false, true},
        Case{2'000'000, 1'000, false, false, false}}) {
    CAPTURE(sample_bytes, cache_bytes);
    auto options = small();
    options.memory.max_sample_bytes = sample_bytes;
    options.cache = {Cache::encoded, cache_bytes};
    options.cache.tiles = 4;
    Scene scene(options, {.image = image});
    auto& loader = scene.loader;
    loader.cache =
        std::make_shared<buffer::SampleCache>(loader.book, loader.plan.cache, rows, 0, nullptr);
    CHECK(scene.process(0) == RowOutcome::done);
    CHECK(scene.slab->statuses()[0] == RowStatus::ok);
    CHECK(loader.tiles_fit == fit);
    {
      const test::Found held(*loader.cache, 0);
      REQUIRE(static_cast<bool>(held) == kept);
      if (!kept) continue;
      const auto bytes = held.sample().data.bytes;
      CHECK(std::ranges::equal(bytes, image) == !tiled);
      const auto info = codec::Decoder(codec::DecoderOptions{}).probe(bytes);
      REQUIRE(info);
      CHECK(codec::tiles_across(*info) == (tiled ? 4 : 0));
      CHECK(held.sample().charged <= image.size() + good_mask().size());
    }
    // Nothing but the encoded bytes is charged any more.
    CHECK(scene.ledger->snapshot()[Account::scratch] == 0);
  }
}

TEST_CASE("copied rows are posted together, and before a row is read", "[engine][cache]") {
  auto options = small();
  options.cache = {Cache::decoded, 200'000};
  Scene kept(options);
  auto& cache = kept.loader.cache;
  cache = std::make_shared<buffer::SampleCache>(kept.loader.book, kept.loader.plan.cache, rows, 0,
                                                nullptr);
  for (const auto row : {0u, 1u, 3u}) CHECK(kept.process(row) == RowOutcome::done);

  Scene scene(options);
  scene.loader.cache = cache;
  const auto oldest = [&] { return scene.book().queue().oldest.row; };
  const auto postings = [&] { return scene.book().ledger()->postings(); };
  const auto before = postings();
  for (const auto row : {0u, 1u}) CHECK(scene.process(row) == RowOutcome::done);
  CHECK(postings() == before);
  CHECK(oldest() == 0);
  // Only the oldest row has memory.
  const auto taken = scene.book().snapshot().memory;
  REQUIRE(scene.book().try_charge(Account::cache,
                                  *taken.budget - taken.live - scene.book().limits().reserve));
  CHECK(scene.process(2) == RowOutcome::done);
  CHECK(oldest() == 3);
  CHECK(scene.process(3) == RowOutcome::done);
  CHECK(oldest() == 3);
  CHECK_FALSE(scene.worker.take_step_due());
  scene.worker.post_copied();
  CHECK(scene.worker.take_step_due());
  CHECK(scene.book().queue().front_complete);
  CHECK(std::ranges::equal(scene.slab->pixels(0, 2), kept.slab->pixels(0, 2)));

  auto found = scene.loader.figures().cache;
  CHECK(found.hits == 3);
  CHECK(found.misses == 1);
  scene.book().discharge(Account::cache,
                         {*taken.budget - taken.live - scene.book().limits().reserve, false});
  scene.loader.cache = nullptr;
}

TEST_CASE("a reader leaves the row to a worker, with its bytes", "[engine]") {
  Scene scene(small(), {}, RowWorker::Duty::read);
  CHECK(scene.process(0) == RowOutcome::proceed);
  CHECK(scene.book().queue().oldest == books::RowKey{0, 0});
  RowWorker decoder(scene.shared, RowWorker::Duty::decode, scene.loader.stats.worker(0), 0,
                    nullptr);
  decoder.take_over(scene.worker.memory().hand_over());
  CHECK(decoder.run() == RowOutcome::done);
  CHECK(scene.slab->statuses()[0] == RowStatus::ok);
  CHECK(scene.slab->labels()[0] == 10);
}

TEST_CASE("a reader ends a row whose sample it cannot read", "[engine]") {
  Scene scene(small(), {.thrown = std::make_exception_ptr(std::runtime_error("lost"))},
              RowWorker::Duty::read);
  CHECK(scene.process(0) == RowOutcome::done);
  CHECK(scene.slab->statuses()[0] == RowStatus::blank);
}

TEST_CASE("a row of a stream that stops is abandoned, not finished", "[engine]") {
  Scene scene;
  scene.shared.stopping = true;
  CHECK(scene.process(0) == RowOutcome::abandoned);
  CHECK(scene.book().queue().oldest == books::RowKey{0, 0});
  CHECK(scene.loader.faults.read().first.empty());
}

TEST_CASE("the time that a run takes is that of its reads and decodes", "[engine]") {
  Scene scene;
  CHECK(scene.worker.worked_ns() == 0);
  CHECK(scene.process(0) == RowOutcome::done);
  const auto worked = scene.worker.worked_ns();
  const auto reads = scene.worker.take_reads();
  CHECK(reads.rows == 1);
  CHECK(worked > reads.took_ns);
  CHECK(scene.worker.worked_ns() == 0);
}
