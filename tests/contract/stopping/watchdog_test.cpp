#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "contract/laws/fixture.hpp"
#include "contract/stopping/gate.hpp"
#include "contract/stopping/process.hpp"
#include "engine/standstill.hpp"
#include "support/catch.hpp"
#include "unit/codec/encoders.hpp"

using namespace weir;
using namespace weir::test;
using namespace std::chrono_literals;

namespace {

/// The messages of a watchdog. Any thread.
class Told {
 public:
  explicit Told(Options& options) {
    options.watchdog.after = 20ms;
    options.watchdog.on_stall = [this](const std::string& text) {
      const std::lock_guard lock(mutex_);
      all_.push_back(text);
    };
  }
  std::vector<std::string> all() const {
    const std::lock_guard lock(mutex_);
    return all_;
  }
  /// Waits for a message that contains all of `parts`.
  std::string with(const std::vector<std::string>& parts) const {
    std::string found;
    until(
        [&] {
          for (const auto& text : all()) {
            const auto has = [&](const auto& part) { return text.find(part) != text.npos; };
            if (std::ranges::all_of(parts, has)) found = text;
          }
          return !found.empty();
        },
        "a stall that tells of " + parts.front());
    return found;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> all_;
};

/// A consumer that drains a stream on its own thread.
class Consumer {
 public:
  explicit Consumer(Stream& stream)
      : thread_([&stream] {
          while (stream.next()) {
          }
        }) {}
  ~Consumer() { thread_.join(); }
  Consumer(const Consumer&) = delete;
  Consumer& operator=(const Consumer&) = delete;

 private:
  std::thread thread_;
};

Scripted::File jpeg() {
  static const auto file = std::make_shared<const std::vector<std::byte>>(
      codec::test::encode_jpeg(codec::test::pattern(40, 30)));
  return file;
}

}  // namespace

TEST_CASE("the watchdog names the sample that the source does not give", "[watchdog]") {
  for (const std::uint32_t read_ahead : {0u, 3u}) {
    const auto gate = std::make_shared<Gate>();
    auto options = small_options();
    options.io.read_ahead = read_ahead;
    const Told told(options);
    Loader loader(Scripted(
                      40, [](auto) { return jpeg(); },
                      [gate](auto i) {
                        if (i == 5) gate->pass();
                      }),
                  options);
    auto stream = loader.stream();
    {
      const Consumer consumer(stream);
      const auto text = told.with({"the source, which reads file/5 (row 1 of batch 1)"});
      CHECK(text.starts_with("stalled for "));
      gate->open();
    }
    CHECK(loader.report().stalls.size() >= 1);
    CHECK(loader.snapshot().samples.consumed == 40);
  }
}

TEST_CASE("the watchdog names the sample whose decoding lasts", "[watchdog]") {
  const auto gate = std::make_shared<Gate>();
  auto options = small_options();
  options.codecs = {std::make_shared<const GatedCodec>(gate)};
  const Told told(options);
  Loader loader(Scripted(40, [](auto i) { return i == 9 ? GatedCodec::file() : jpeg(); }), options);
  auto stream = loader.stream();
  const Consumer consumer(stream);
  told.with({"waits for the decoding of file/9 (row 1 of batch 2), for "});
  gate->open();
}

TEST_CASE("the watchdog names the account that blocks later samples", "[watchdog]") {
  const auto gate = std::make_shared<Gate>();
  static const auto wide = std::make_shared<const std::vector<std::byte>>(
      codec::test::encode_png(300, 300, codec::test::Pixels(300 * 300 * 3), {.interlaced = true}));
  auto options = small_options();
  options.workers = 2;
  options.queue.max_queue_size = 2;
  options.codecs = {std::make_shared<const GatedCodec>(gate)};
  options.memory.max_sample_bytes = 1 << 20;
  options.memory.budget_bytes = resolve(options, 0).floor_bytes + 20'000;
  const Told told(options);
  Loader loader(Scripted(40, [](auto i) { return i == 0 ? GatedCodec::file() : wide; }), options);
  auto stream = loader.stream();
  const Consumer consumer(stream);
  told.with({"the decoding of file/0", "younger sample",
             "waits for bytes: file/1 (row 1 of batch 0)", "bytes of scratch", "are free (",
             "filling "});
  gate->open();
}

TEST_CASE("a consumer that does not ask is no stall of the loader", "[watchdog]") {
  auto options = small_options();
  const Told told(options);
  Loader loader(synthetic(100, {24, 24}), options);
  auto stream = loader.stream();
  auto held = stream.next();
  told.with({"no stall of the loader: the consumer has not asked for a batch for ",
             "it holds 1 of 1 lease", "4 batches are ready"});
  // On a busy machine the first batches may have stalled, and the next ones may.
  const auto before = told.all().size();
  std::vector<std::string> said;
  std::thread other([&] {
    told.with({"no stall of the loader: for ", "one of its own leases to come back"});
    said = told.all();
    held.reset();
  });
  CHECK(stream.next(1h));
  other.join();
  REQUIRE(said.size() > before);
  for (auto i = before; i < said.size(); ++i) CHECK(said[i].starts_with("no stall of the loader"));
}

TEST_CASE("the watchdog tells whom a stream that is to stop waits for", "[watchdog][R8]") {
  const auto gate = std::make_shared<Gate>();
  auto options = small_options();
  const Told told(options);
  Loader loader(Scripted(
                    40, [](auto) { return jpeg(); }, [gate](auto) { gate->pass(); }),
                options);
  auto stream = std::make_unique<Stream>(loader.stream());
  gate->await(1);
  std::thread destroyer([&] { stream.reset(); });
  told.with({"stopping for ", "the source, which reads file/"});
  gate->open();
  destroyer.join();
}

TEST_CASE("on_stall may cancel the stream, and may throw anything", "[watchdog][R9][R12]") {
  const auto gate = std::make_shared<Gate>();
  std::atomic<Stream*> running{nullptr};
  std::atomic<int> calls{0};
  auto options = small_options();
  options.watchdog.after = 20ms;
  options.watchdog.on_stall = [&](const std::string&) {
    ++calls;
    until([&] { return running.load() != nullptr; }, "the stream to be made");
    running.load()->cancel();
    throw 42;
  };
  Loader loader(Scripted(
                    40, [](auto) { return jpeg(); }, [gate](auto) { gate->pass(); }),
                options);
  auto stream = loader.stream();
  running = &stream;
  CHECK_FALSE(stream.next());
  CHECK(calls >= 1);
  gate->open();
}

TEST_CASE("only a stream that stands still has a stall", "[watchdog]") {
  auto options = small_options();
  options.watchdog.after = 10s;
  Loader loader(synthetic(400, {24, 24}), options);
  CHECK(drain(loader, {.epochs = 3}).indices.size() == 1200);
  CHECK(loader.report().stalls.empty());
  options.watchdog.after = -1ms;
  CHECK_THROWS_WITH(Loader(synthetic(4, {24, 24}), options), has_text("`watchdog.after` = -1"));
}

TEST_CASE("a standstill in words: whom, for how long, what is short", "[watchdog]") {
  using engine::Standstill;
  const auto source = in_memory({{"a.jpg", {}, 0}, {"b.png", {}, 0}});
  Standstill s;
  s.now = Clock::now();
  s.since = s.now - 2500ms;
  s.max_leases = 2;
  s.queue.oldest = {3, 7};
  s.memory.budget = 1000;
  s.memory.live = 900;
  s.memory.accounts[static_cast<std::size_t>(Account::leased)] = 600;
  s.memory.accounts[static_cast<std::size_t>(Account::scratch)] = 300;
  CHECK(describe(s, source) == "stalled for 2.5 s: the stream has no batch open");
  auto shorter = s;
  shorter.since = s.now - 20ms;
  CHECK(describe(shorter, source).starts_with("stalled for 20 ms: "));
  s.wants_slab = true;
  s.queue.slab_requested = 200;
  CHECK(describe(s, source) ==
        "stalled for 2.5 s: the stream waits for memory: a batch needs a slab of 200 bytes; 100 of "
        "the budget of 1000 are free (scratch 300, leased 600)");
  s.queue.filling = 1;
  CHECK(describe(s, source) ==
        "stalled for 2.5 s: the stream waits for a thread to take row 7 of batch 3");
  s.busy.push_back({true, Stage::decode, {4, 0}, 0, s.now - 2s});
  CHECK(
      describe(s, source) ==
      "stalled for 2.5 s: the stream waits for a thread to take row 7 of batch 3; the one longest "
      "at work waits for the decoding of a.jpg (row 0 of batch 4), for 2.0 s");
  s.parked.push_back({{{3, 7}, Account::scratch, 250}, 1, s.now - 1s});
  CHECK(
      describe(s, source) ==
      "stalled for 2.5 s: the stream waits for memory: b.png (row 7 of batch 3) waits for 250 "
      "bytes of scratch, for 1.0 s; 100 of the budget of 1000 are free (scratch 300, leased 600)");
  s.consumer = Standstill::Consumer::stops;
  CHECK(describe(s, source) ==
        "stopping for 2.5 s: the stream waits for the decoding of a.jpg (row 0 of "
        "batch 4), for 2.0 s");
  s.busy.clear();
  CHECK(describe(s, source) == "stopping for 2.5 s: the stream waits for its threads to leave");
}
