#include "observe/second_delivery.hpp"

#include <memory>
#include <string>

#include "support/catch.hpp"
#include "support/text.hpp"

using namespace weir;
using namespace weir::observe;
using test::contains;

namespace {

/// Other samples from some moment on: the result of a loader that is not deterministic.
struct Fickle {
  struct Mood {
    std::int64_t label_by = 0;       ///< added to the label of sample 7
    std::string reason;              ///< of a fault of sample 7; empty: it is valid
    FaultKind kind = FaultKind::io;  ///< of that fault
  };
  AnySource source;
  std::shared_ptr<Mood> mood;

  std::uint64_t size() const { return source.size(); }
  Encoded read(std::uint64_t i, ByteSink& sink) const {
    if (i == 7 && !mood->reason.empty()) throw SampleError(mood->kind, mood->reason);
    auto encoded = source.read(i, sink);
    if (i == 7) encoded.label += mood->label_by;
    return encoded;
  }
  std::string name(std::uint64_t i) const { return source.name(i); }
  std::uint64_t index_bytes() const { return source.index_bytes(); }
};

/// 640 images in batches of 64, ten epochs.
class World {
 public:
  const std::shared_ptr<Fickle::Mood> mood = std::make_shared<Fickle::Mood>();
  Options options;
  std::uint32_t world = 1;

  World() {
    options.shape = {8, 8};
    options.batch = 64;
    options.workers = 2;
    options.order = Order::shuffle();
    options.memory.max_sample_bytes = 64 << 10;
    options.faults.policy = OnFault::blank;
  }

  /// Delivers all batches.
  void deliver() {
    Loader loader(source_, options);
    delivered_.emplace(loader, epochs * loader.batches_per_epoch());
    auto stream = loader.stream({.epochs = epochs});
    for (const auto& batch : stream) delivered_->note(batch);
    did_ = loader.report();
  }
  const Delivered& delivered() const { return *delivered_; }

  SecondDelivery again() {
    std::atomic<std::uint64_t> done{0};
    auto found = deliver_again(source_, options, world, did_, *delivered_, {}, done);
    CHECK(done <= found.compared);
    return found;
  }

 private:
  static constexpr std::uint64_t epochs = 10;
  AnySource source_ = Fickle{synthetic(640, {12, 12}), mood};
  std::optional<Delivered> delivered_;
  Report did_;
};

}  // namespace

TEST_CASE("the first and last samples are delivered again and compared", "[second]") {
  World world;
  world.deliver();
  const auto& pieces = world.delivered().pieces();
  REQUIRE(pieces.size() == 32);
  CHECK(pieces[15].sequence == 15);
  CHECK(pieces[16].sequence == 84);
  CHECK(pieces.back().sequence == 99);
  const auto found = world.again();
  CHECK(found.skipped.empty());
  CHECK(found.compared == 32);
  CHECK(found.same == 32);
}

TEST_CASE("ranks side by side deliver the rows of one process", "[second]") {
  World world;
  world.deliver();
  world.world = 4;
  const auto found = world.again();
  CHECK(found.skipped.empty());
  CHECK(found.same == 32);
}

TEST_CASE("a batch that is another the second time is a difference", "[second]") {
  World world;
  world.deliver();
  world.mood->label_by = 1;
  const auto found = world.again();
  CHECK(found.compared == 32);
  // Once in each epoch: 0 and 9 were recorded completely, 1 and 8 in part.
  CHECK(found.same <= 30);
  CHECK(found.same >= 28);
  CHECK(contains(found.difference, "was delivered otherwise by another loader"));
}

TEST_CASE("a stream that ends early when repeated is a difference", "[second]") {
  World world;
  world.deliver();
  world.options.faults.policy = OnFault::stop;
  world.mood->reason = "bits have fallen over";
  world.mood->kind = FaultKind::corrupt;
  const auto found = world.again();
  CHECK(found.compared == 32);
  CHECK(found.same < 32);
  CHECK(contains(found.difference, "was not delivered by another loader"));
  CHECK(contains(found.difference, "bits have fallen over"));
}

TEST_CASE("a lasting fault is compared and a passing one is skipped", "[second]") {
  World world;
  world.mood->reason = "flawed";
  world.mood->kind = GENERATE(FaultKind::corrupt, FaultKind::io, FaultKind::timeout);
  world.deliver();
  const auto found = world.again();
  if (world.mood->kind == FaultKind::corrupt) {
    CHECK(found.compared == 32);
    CHECK(found.same == 32);
    return;
  }
  CHECK(found.compared == 0);
  CHECK(contains(found.skipped, std::string(to_string(world.mood->kind))));
  CHECK(contains(found.skipped, "need not come again"));
}
