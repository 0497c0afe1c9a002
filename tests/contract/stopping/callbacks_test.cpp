#include <atomic>
#include <stdexcept>

#include "contract/laws/fixture.hpp"
#include "contract/stopping/gate.hpp"
#include "contract/stopping/process.hpp"
#include "source/delayed.hpp"
#include "support/catch.hpp"
#include "support/refusing_memory.hpp"

using namespace weir;
using namespace weir::test;

namespace {

enum class Thrown : std::uint8_t { exception, bad_alloc, number };

[[noreturn]] void raise(Thrown what) {
  switch (what) {
    case Thrown::exception: throw std::runtime_error("the user's own");
    case Thrown::bad_alloc: throw std::bad_alloc();
    case Thrown::number: break;
  }
  throw 42;
}

/// Throws at the selected call.
class ThrowingCodec final : public ForeignCodec {
 public:
  ThrowingCodec(Thrown what, bool in_info) : what_(what), in_info_(in_info) {}
  bool accepts(std::span<const std::byte> head) const noexcept override {
    return head.size() >= 4 && std::memcmp(head.data(), "GATE", 4) == 0;
  }
  Info info(std::span<const std::byte>) const override {
    if (in_info_) raise(what_);
    return {8, 8, 0};
  }
  void decode(PixelFormat, std::span<const std::byte>, const Info&,
              std::span<std::uint8_t>) const override {
    raise(what_);
  }

 private:
  Thrown what_;
  bool in_info_;
};

void check_empty(const Loader& loader) {
  const auto now = loader.snapshot();
  CHECK(now.samples.conserved());
  CHECK(now.samples.in_flight + now.samples.ready + now.samples.leased == 0);
  CHECK(now.memory.live == now.memory[Account::idle] + now.memory[Account::index]);
}

}  // namespace

TEST_CASE("an exception of a source is a fault and its bytes go back", "[R12]") {
  for (const auto what : {Thrown::exception, Thrown::bad_alloc, Thrown::number}) {
    for (const bool after_take : {false, true}) {
      for (const std::uint32_t read_ahead : {0u, 3u}) {
        auto options = small_options();
        options.faults.policy = OnFault::blank;
        options.io.read_ahead = read_ahead;
        const auto file = GatedCodec::file();
        options.codecs = {std::make_shared<const ThrowingCodec>(what, false)};
        Loader loader(Scripted(
                          20,
                          [=](auto) {
                            if (!after_take) raise(what);
                            return file;
                          },
                          [=](auto) { raise(what); }),
                      options);
        CHECK(drain(loader).indices.size() == 20);
        const auto report = loader.report();
        REQUIRE(report.fault_count == 20);
        CHECK(report.faults[0].stage == Stage::read);
        CHECK(report.faults[0].kind ==
              (what == Thrown::bad_alloc ? FaultKind::memory : FaultKind::io));
        CHECK(report.faults[0].name == "file/" + std::to_string(report.faults[0].index));
        check_empty(loader);
      }
    }
  }
}

TEST_CASE("an exception of a codec is a fault and its bytes go back", "[R12]") {
  for (const auto what : {Thrown::exception, Thrown::bad_alloc, Thrown::number}) {
    for (const bool in_info : {false, true}) {
      auto options = small_options();
      options.faults.policy = OnFault::blank;
      options.codecs = {std::make_shared<const ThrowingCodec>(what, in_info)};
      Loader loader(Scripted(20, [](auto) { return GatedCodec::file(); }), options);
      CHECK(drain(loader).indices.size() == 20);
      const auto report = loader.report();
      REQUIRE(report.fault_count == 20);
      CHECK(report.faults[0].stage == Stage::decode);
      CHECK(report.faults[0].kind ==
            (what == Thrown::bad_alloc ? FaultKind::memory : FaultKind::corrupt));
      check_empty(loader);
    }
  }
}

TEST_CASE("an exception of a transform is a fault and its bytes go back", "[R12]") {
  for (const auto what : {Thrown::exception, Thrown::bad_alloc, Thrown::number}) {
    for (const auto input : {TransformInput::decoded, TransformInput::fitted}) {
      auto options = small_options();
      options.faults.policy = OnFault::blank;
      options.transform = {
          .apply = [what](DecodedSample&) { raise(what); }, .input = input, .scratch_bytes = 1000};
      options.annotation_bytes = 5;
      Loader loader(synthetic(20, {24, 24}), options);
      CHECK(drain(loader).indices.size() == 20);
      const auto report = loader.report();
      REQUIRE(report.fault_count == 20);
      CHECK(report.faults[0].stage == Stage::fit);
      CHECK(report.faults[0].kind ==
            (what == Thrown::bad_alloc ? FaultKind::memory : FaultKind::corrupt));
      if (what == Thrown::exception) CHECK(report.faults[0].reason == "the user's own");
      check_empty(loader);
    }
  }
}

TEST_CASE("an upstream's exception ends its stream but not the next one", "[R12]") {
  const auto upstream = std::make_shared<RefusingMemory>();
  auto options = small_options();
  options.memory.upstream = upstream;
  Loader loader(synthetic(40, {24, 24}), options);
  for (const int slabs : {0, 1, 2}) {
    upstream->granted = slabs;
    auto stream = loader.stream();
    CHECK_THROWS_AS(
        [&] {
          while (stream.next()) {
          }
        }(),
        std::bad_alloc);
    CHECK(stream.finished());
    stream.settle();
    CHECK(loader.snapshot().samples.conserved());
  }
  upstream->granted = 100;
  CHECK(drain(loader).indices.size() == 40);
  check_empty(loader);
}

TEST_CASE("on_move may throw anything and may cancel the stream", "[R12][R9]") {
  for (const bool throws : {true, false}) {
    std::atomic<Stream*> running{nullptr};
    auto options = small_options();
    options.workers = 1;
    options.tuning.mode = Tuning::automatic;
    options.tuning.interval = std::chrono::milliseconds(10);
    std::atomic<bool> moved{false};
    options.tuning.on_move = [&](const std::string&) {
      until([&] { return running.load() != nullptr; }, "the stream to be made");
      moved = true;
      if (throws) throw 42;
      running.load()->cancel();
    };
    Loader loader(source::delayed(synthetic(64, {24, 24}), {2, 0, 0}), options);
    auto stream = loader.stream({.epochs = std::nullopt});
    running = &stream;
    while (!(throws && moved) && stream.next()) {
    }
    CHECK(stream.finished() == !throws);
    if (throws) {
      until([&] { return loader.report().moves.back().starts_with("tuning ended"); }, "its end");
      CHECK(stream.next());
    }
    CHECK_FALSE(loader.report().moves.empty());
  }
}

TEST_CASE("a stream destroyed during on_move ends with the callback", "[R8][R9]") {
  const auto gate = std::make_shared<Gate>();
  auto options = small_options();
  options.workers = 1;
  options.tuning.mode = Tuning::automatic;
  options.tuning.interval = std::chrono::milliseconds(10);
  options.tuning.on_move = [gate](const std::string&) { gate->pass(); };
  Loader loader(source::delayed(synthetic(64, {24, 24}), {2, 0, 0}), options);
  auto stream = std::make_unique<Stream>(loader.stream({.epochs = std::nullopt}));
  std::atomic<pid_t> thread{0};
  std::thread consumer([&stream = *stream] {
    while (stream.next()) {
    }
  });
  gate->await(1);
  std::thread destroyer([&] {
    thread = this_thread();
    stream.reset();
  });
  consumer.join();  // ended by the destructor's cancel, while the callback is still blocked
  until([&] { return thread != 0 && asleep(thread); }, "the destructor to wait");
  gate->open();
  destroyer.join();
  check_empty(loader);
}
