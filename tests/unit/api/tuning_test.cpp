#include <algorithm>

#include "contract/laws/fixture.hpp"
#include "source/delayed.hpp"
#include "support/catch.hpp"

using namespace weir;
using namespace weir::test;

namespace {

/// Consumes batches until `done`, for a minute at most.
template <class Done>
void take_until(Stream& stream, Done done) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!done() && std::chrono::steady_clock::now() < give_up)
    if (!stream.next()) return;
}

}  // namespace

TEST_CASE("automatic tuning reads ahead within bounds if reads are slow", "[api][tuning]") {
  std::vector<std::string> told;
  std::mutex mutex;
  auto options = small_options();
  tune_often(options);
  options.tuning.most_queue = 8;
  options.tuning.on_move = [&](const std::string& text) {
    const std::lock_guard lock(mutex);
    told.push_back(text);
  };
  Loader loader(source::delayed(synthetic(64, {24, 24}), {5, 0, 0}), options);
  CHECK(loader.plan().max_queue_size == 8);
  CHECK(loader.plan().start == Setting{4, 1, 0, 4});
  auto stream = loader.stream({.epochs = std::nullopt});
  const auto told_so = [&] {
    const std::lock_guard lock(mutex);
    return std::ranges::any_of(told,
                               [](const auto& text) { return text.find("read_ahead 0 to ") == 0; });
  };
  take_until(stream, told_so);  // a moment after it takes effect
  const auto report = loader.report();
  CHECK(report.setting.read_ahead >= 2);
  CHECK(report.setting.read_ahead <= 6);
  CHECK(report.setting.max_queue_size <= 8);
  CHECK(report.setting.workers <= 2);
  REQUIRE(!report.moves.empty());
  CHECK(told_so());
}

TEST_CASE("automatic tuning keeps the order, the pixels and the budget", "[api][tuning]") {
  auto options = small_options();
  options.fit = Fit::random;
  options.order = Order::shuffle();
  const auto source = synthetic(96, {24, 24});
  options.memory.budget_bytes = resolve(options, source.index_bytes()).floor_bytes + (4u << 20);
  Loader plain(source, options);
  const StreamOptions twice{.epochs = 12};
  const auto expected = drain(plain, twice);
  options.tuning.mode = Tuning::automatic;
  options.tuning.interval = std::chrono::milliseconds(10);
  options.workers = 1;
  Loader tuned(source, options);
  CHECK(tuned.plan().max_queue_size >= 4);
  CHECK(drain(tuned, twice) == expected);
  const auto now = tuned.snapshot();
  CHECK(now.memory.peak <= options.memory.budget_bytes);
  CHECK(now.samples.conserved());
}
