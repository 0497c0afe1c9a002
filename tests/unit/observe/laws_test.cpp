#include "observe/laws.hpp"

#include <functional>

#include "contract/laws/breach.hpp"
#include "support/catch.hpp"
#include "weir/source.hpp"

using namespace weir;
using namespace weir::observe;
using test::breach_of;

namespace {

Options small_batches() {
  Options options;
  options.shape = {8, 8};
  options.batch = 5;
  options.workers = 2;
  options.queue.max_leases = 3;
  return options;
}

}  // namespace

TEST_CASE("each law of a moment names its breach", "[laws]") {
  Loader loader(synthetic(20, {8, 8}), small_batches());
  auto stream = loader.stream();
  const auto held = stream.next();
  stream.settle();
  const auto& plan = loader.plan();
  CHECK(breach_of(loader.snapshot(), plan).empty());
  const auto broken = [&](const std::function<void(Snapshot&)>& change) {
    auto now = loader.snapshot();
    change(now);
    return breach_of(now, plan);
  };
  CHECK(broken([](auto& now) { ++now.memory.live; }) == "sum");
  CHECK(broken([](auto& now) { now.memory.budget = now.memory.live - 1; }) == "bound");
  CHECK(broken([](auto& now) { now.memory.peak = now.memory.live - 1; }) == "peak");
  CHECK(broken([](auto& now) { ++now.memory.accounts_at_peak[0]; }) == "peak");
  CHECK(broken([](auto& now) { ++now.samples.drawn; }) == "conservation");
  CHECK(broken([](auto& now) { ++now.samples.partners; }) == "partners");
  CHECK(broken([&](auto& now) { now.ready = plan.max_queue_size + 1; }) == "queue");
  CHECK(broken([&](auto& now) { now.leased = plan.max_leases + 1; }) == "queue");
}

TEST_CASE("the laws of a stream hold at each of its batches", "[laws]") {
  Loader loader(synthetic(23, {8, 8}), small_batches());
  auto stream = loader.stream({.epochs = 2});
  Laws laws;
  std::deque<Batch> held;
  while (auto batch = stream.next()) {
    if (held.size() == 2) held.pop_front();
    held.push_back(std::move(*batch));
    laws.check(loader, held);
  }
  held.clear();
  laws.check_resume(loader, stream);
  CHECK(laws.breaches() == 0);
  for (const auto& law : laws.all()) {
    CAPTURE(law.name, law.first_breach);
    CHECK(law.checks == (law.name == "resume" ? 1 : 10));
  }
}

TEST_CASE("batches that the consumer does not show break the laws", "[laws]") {
  Loader loader(synthetic(20, {8, 8}), small_batches());
  auto stream = loader.stream();
  const auto hidden = stream.next();
  std::deque<Batch> held;
  held.push_back(*stream.next());
  Laws laws;
  laws.check(loader, held);
  CHECK(laws.breaches() == 2);
  for (const auto& law : laws.all()) {
    const bool broken = law.name == "order" || law.name == "held";
    CHECK(law.breaches == (broken ? 1 : 0));
    CHECK(law.first_breach.empty() != broken);
  }
}
