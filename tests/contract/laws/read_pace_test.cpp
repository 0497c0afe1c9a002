// Workers read while reads are quick, and readers while they are not.
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "conductor/read_pace.hpp"
#include "contract/laws/fixture.hpp"
#include "support/catch.hpp"

using namespace weir;
using namespace weir::test;

namespace {

/// Images in memory. Some reads take longer than many quick ones.
class Unsteady {
 public:
  struct Seen {
    std::mutex mutex;
    std::set<std::thread::id> threads;
    std::uint64_t reads = 0;
  };
  explicit Unsteady(std::shared_ptr<Seen> seen) : seen_(std::move(seen)) {
    const auto made = synthetic(500, {20, 24}, 3);
    std::vector<MemorySample> all;
    for (std::uint64_t i = 0; i < made.size(); ++i) {
      MemorySink sink;
      const auto bytes = made.read(i, sink).bytes;
      all.push_back({.name = std::to_string(i), .bytes = {bytes.begin(), bytes.end()}});
    }
    images_ = in_memory(std::move(all));
  }
  std::uint64_t size() const { return images_->size(); }
  Encoded read(std::uint64_t i, ByteSink& sink) const {
    const auto sample = images_->read(i, sink);
    std::uint64_t number = 0;
    {
      const std::lock_guard lock(seen_->mutex);
      seen_->threads.insert(std::this_thread::get_id());
      number = seen_->reads++;
    }
    using conductor::ReadPace;
    if (number % 1700 == 1699)
      std::this_thread::sleep_for(
          std::chrono::nanoseconds((ReadPace::many + 1) * ReadPace::quick_ns));
    return sample;
  }
  std::string name(std::uint64_t i) const { return std::to_string(i); }
  std::uint64_t index_bytes() const { return 0; }

 private:
  std::optional<AnySource> images_;
  std::shared_ptr<Seen> seen_;
};

}  // namespace

TEST_CASE("rows do not depend on which threads read them", "[law][determinism]") {
  constexpr std::uint32_t ahead = 5;
  auto options = small_options();
  options.order = Order::shuffle();
  options.batch = 32;
  const StreamOptions extent{.epochs = 10};
  Loader alone(Unsteady(std::make_shared<Unsteady::Seen>()), options);
  const auto expected = drain(alone, extent);
  options.io.read_ahead = ahead;
  const auto floor = resolve(options, 0).floor_bytes;
  for (const std::uint64_t spare : {std::uint64_t{0}, std::uint64_t{20'000}, unlimited}) {
    CAPTURE(spare);
    if (spare != unlimited)
      options.memory.budget_bytes = floor + spare;
    else
      options.memory.budget_bytes = {};
    const auto seen = std::make_shared<Unsteady::Seen>();
    Loader loader(Unsteady(seen), options);
    CHECK(drain(loader, extent) == expected);
    CHECK(breach_of(loader.snapshot(), loader.plan()).empty());
    CHECK(seen->threads.size() > ahead);
  }
}
