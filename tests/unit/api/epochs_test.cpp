#include "weir/stream.hpp"

#include <filesystem>
#include <functional>
#include <set>
#include <stdexcept>
#include <thread>

#include "contract/laws/fixture.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"

using namespace weir;
using namespace weir::test;

namespace {

using Indices = std::vector<std::uint64_t>;

void add(Indices& to, const Batch& batch) {
  to.insert(to.end(), batch.indices().begin(), batch.indices().end());
}

Options shuffled() {
  auto options = small_options();
  options.order = Order::shuffle();
  return options;
}

/// The indices of each epoch, of a stream.
std::vector<Indices> epochs_of(Loader& loader, std::uint64_t count) {
  std::vector<Indices> all(count);
  auto stream = loader.stream({.epochs = count});
  for (const auto& batch : stream) add(all[batch.epoch()], batch);
  return all;
}

/// Bytes that are not those of the loader's index.
std::uint64_t beyond_index(const Loader& loader) {
  const auto memory = loader.snapshot().memory;
  return memory.live - memory[Account::index];
}

std::size_t threads() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

}  // namespace

TEST_CASE("epochs are those of a stream, and one stream delivers them", "[api][epochs]") {
  Loader loader(synthetic(10, {24, 24}), shuffled());
  const auto reference = epochs_of(loader, 3);
  std::uint64_t number = 0, sequence = 0;
  for (auto epoch : loader.epochs(3)) {
    CHECK(epoch.number() == number);
    Indices indices;
    for (weir::Batch& batch : epoch) {
      CHECK(batch.epoch() == number);
      CHECK(batch.sequence() == sequence++);
      CHECK(batch.last_of_epoch() == (indices.size() == 8));
      add(indices, batch);
    }
    CHECK(indices == reference[number++]);
    CHECK_FALSE(epoch.next());
  }
  CHECK(number == 3);
}

TEST_CASE("the next epoch is prefetched before this one has ended", "[api][epochs]") {
  Loader loader(synthetic(8, {24, 24}), small_options());
  auto epochs = loader.epochs(2);
  auto epoch = epochs.next();
  while (const auto batch = epoch.next()) {
    if (!batch->last_of_epoch()) continue;
    // The trainer still holds the last batch of epoch 0.
    while (loader.snapshot().ready < 2) std::this_thread::yield();
    CHECK(loader.snapshot().samples.drawn == 16);
  }
  CHECK(epochs.next().number() == 1);
}

TEST_CASE("epochs start nothing before the first one is taken", "[api][epochs]") {
  Loader loader(synthetic(8, {24, 24}), small_options());
  auto epochs = loader.epochs(1);
  CHECK(beyond_index(loader) == 0);
  CHECK(loader.snapshot().samples.drawn == 0);
  CHECK(drain(loader).indices.size() == 8);  // there is no live stream
  CHECK(epochs.progress() == loader.progress_after(0));
  auto epoch = epochs.next();
  CHECK_THROWS_WITH(loader.stream(), has_text("one live stream"));
  CHECK(epoch);
  CHECK_FALSE(epochs.next());
  CHECK_FALSE(Epoch());
  CHECK_FALSE(Epoch().next());
}

TEST_CASE("options of epochs are refused at once", "[api][epochs]") {
  Loader loader(synthetic(8, {24, 24}), small_options());
  CHECK_THROWS_WITH(
      loader.epochs(StreamOptions{.resume = loader.progress_after(0), .first_epoch = 1}),
      has_text("`StreamOptions::first_epoch` = 1"));
  CHECK_THROWS_WITH(loader.epochs(StreamOptions{.first_epoch = UINT64_MAX, .epochs = std::nullopt}),
                    has_text("must be 0 to 9223372036854775808"));
  const std::string nothing =
      "`StreamOptions::first_epoch` = 5: nothing is left, because `StreamOptions::epochs` = 1 "
      "counts from the beginning of the training; set `StreamOptions::epochs` = 6 or more, or "
      "`std::nullopt`";
  CHECK_THROWS_WITH(loader.stream({.first_epoch = 5}), nothing);
  CHECK_THROWS_WITH(loader.epochs({.first_epoch = 5}), nothing);
  CHECK(loader.stream({.first_epoch = 5, .epochs = 6}).next());
  CHECK(!loader.stream({.first_epoch = 5, .epochs = 5}).next());
  CHECK_THROWS_WITH(loader.stream({.first_epoch = 6, .epochs = 5}), has_text("nothing is left"));
}

TEST_CASE("a resume whose list takes the slabs' bytes is refused", "[api][resume]") {
  const auto source = synthetic(60, {16, 16});
  Options options{.shape = {8, 8}, .batch = 1, .workers = 1};
  options.queue.max_queue_size = 1;
  options.memory.max_sample_bytes = 256 << 10;
  options.memory.budget_bytes = resolve(options, source.index_bytes(), 0, 60).floor_bytes + 60;
  Loader loader(source, options);
  auto state = loader.progress_after(0);
  auto& epoch = state.epochs.front();
  epoch.end = 60;
  for (std::uint64_t i = 0; i < 56; i += 1 + i % 3) epoch.done.push_back({i, ++i});
  CHECK_THROWS_WITH(loader.stream({.resume = state}),
                    has_text("`StreamOptions::resume`: the budget has no room for "));
  auto shared = options;
  shared.memory.ledger = std::make_shared<MemoryLedger>(*options.memory.budget_bytes + 100'000);
  const auto held = shared.memory.ledger->try_charge(Account::index, 100'000);
  Loader sharing(source, shared);
  CHECK_THROWS_AS(sharing.stream({.resume = state}), Error);
  const auto promised = shared.memory.ledger->promised();
  epoch.done.resize(3);
  CHECK(loader.stream({.resume = state}).next());
  CHECK(sharing.stream({.resume = state}).next());
  CHECK(shared.memory.ledger->promised() == promised);
}

TEST_CASE("a resume that the epochs leave nothing of is refused", "[api][epochs][resume]") {
  Loader loader(synthetic(20, {24, 24}), shuffled());  // five batches in an epoch
  const auto refused = [&](std::uint64_t steps, const StreamOptions& options) {
    auto tried = options;
    tried.resume = loader.progress_after(steps);
    std::string text = "accepted";
    for (const auto& call : {std::function([&] { static_cast<void>(loader.stream(tried)); }),
                             std::function([&] { static_cast<void>(loader.epochs(tried)); })}) {
      text = "accepted";
      try {
        call();
      } catch (const Error& error) {
        CHECK(error.code() == Errc::bad_options);
        text = error.what();
      }
      CAPTURE(steps, text);
      CHECK((text == "accepted") ==
            !text.starts_with("`StreamOptions::resume`: nothing is left: "));
    }
    return text;
  };
  CHECK(refused(7, {}) ==
        "`StreamOptions::resume`: nothing is left: the first unfinished epoch is 1, counted from "
        "0, and `StreamOptions::epochs` = 1 counts from the beginning of the training; set "
        "`StreamOptions::epochs` = 2 or more, or `std::nullopt`");
  CHECK(refused(5, {}) != "accepted");
  CHECK(refused(11, {.epochs = 2}) != "accepted");
  CHECK(refused(4, {}) == "accepted");
  CHECK(refused(7, {.epochs = 2}) == "accepted");
  CHECK(refused(7, {.epochs = std::nullopt}) == "accepted");
  // The same job, started once more after its end.
  CHECK(refused(10, {.epochs = 2}) == "accepted");
}

TEST_CASE("an epoch that is left early ends there, or goes on", "[api][epochs]") {
  const bool rest = GENERATE(false, true);
  Loader loader(synthetic(20, {24, 24}), shuffled());
  const auto reference = epochs_of(loader, 3);
  SECTION("it ends") {
    std::vector<Indices> seen;
    auto epochs = loader.epochs(3, {.rest = rest});
    for (auto epoch : epochs) {
      auto& indices = seen.emplace_back();
      for (weir::Batch& batch : epoch) {
        add(indices, batch);
        try {
          if (epoch.number() == 1) throw std::runtime_error("a step failed");
        } catch (const std::runtime_error&) {
          break;
        }
      }
    }
    REQUIRE(seen.size() == 3);
    CHECK(seen[0] == reference[0]);
    CHECK(seen[1] == Indices(reference[1].begin(), reference[1].begin() + 4));
    CHECK(seen[2] == reference[2]);
    // What was left does not come again.
    CHECK(epochs.progress() == loader.progress_after(15));
  }
  SECTION("it goes on") {
    std::vector<Indices> seen(3);
    std::uint64_t visits = 0;
    for (auto epoch : loader.epochs(3, {.go_on_when_left = true, .rest = rest})) {
      ++visits;
      for (weir::Batch& batch : epoch) {
        add(seen[epoch.number()], batch);
        if (batch.sequence() % 5 == 1) break;
      }
    }
    CHECK(seen == reference);
    CHECK(visits == 6);
  }
  const auto t = loader.snapshot().samples;
  CHECK(t.conserved());
  CHECK(t.in_flight + t.ready + t.leased == 0);
}

TEST_CASE("an epoch that nobody looks at counts as left", "[api][epochs]") {
  const bool goes_on = GENERATE(false, true);
  Loader loader(synthetic(8, {24, 24}), small_options());
  std::vector<std::uint64_t> numbers;
  auto epochs = loader.epochs(4, {.go_on_when_left = goes_on});
  for (int i = 0; i < 3; ++i) numbers.push_back(epochs.next().number());
  CHECK(numbers == (goes_on ? std::vector<std::uint64_t>(3) : Indices{0, 1, 2}));
  CHECK(epochs.progress() == loader.progress_after(goes_on ? 0 : 6));
}

TEST_CASE("epochs resume where a stream was, also inside an epoch", "[api][epochs][resume]") {
  const bool rest = GENERATE(false, true);
  Loader loader(synthetic(20, {24, 24}), shuffled());
  const auto reference = epochs_of(loader, 3);
  // Two batches of epoch 1 are finished.
  auto epochs =
      loader.epochs(StreamOptions{.resume = loader.progress_after(7), .epochs = 3}, {.rest = rest});
  CHECK(epochs.progress() == loader.progress_after(7));
  std::vector<Indices> seen(3);
  for (auto epoch : epochs) {
    for (weir::Batch& batch : epoch) add(seen[epoch.number()], batch);
    CHECK(epochs.progress() == loader.progress_after(5 * (epoch.number() + 1)));
  }
  CHECK(seen[0].empty());
  CHECK(seen[1] == Indices(reference[1].begin() + 8, reference[1].end()));
  CHECK(seen[2] == reference[2]);
}

TEST_CASE("an epoch without batches does not appear", "[api][epochs]") {
  const bool rest = GENERATE(false, true);
  auto options = small_options();
  options.drop_last = true;
  Loader loader(synthetic(6, {24, 24}), options);
  // Of the two samples that are left of epoch 0 there is no batch.
  const auto resume = loader.progress_after(1);
  auto epochs = loader.epochs(StreamOptions{.resume = resume, .epochs = 2}, {.rest = rest});
  const auto first = epochs.next();
  CHECK(first.number() == 1);
  CHECK_FALSE(epochs.next());
  CHECK_FALSE(epochs.next());
  auto none = Loader(synthetic(0, {24, 24}), small_options());
  CHECK_FALSE(none.epochs(StreamOptions{.epochs = std::nullopt}, {.rest = rest}).next());
}

TEST_CASE("a resting loader has no threads, no slabs and under 64 KiB", "[api][epochs][shared]") {
  auto options = small_options();
  options.shape = {128, 128};
  auto ledger = std::make_shared<MemoryLedger>(64u << 20);
  options.memory.ledger = ledger;
  auto upstream = std::make_shared<CountingUpstream>();
  options.memory.upstream = upstream;
  std::thread([] {}).join();  // the thread sanitizer starts a thread of its own with the first one
  const auto before = threads();
  Loader loader(synthetic(10, {160, 160}), options);
  const auto promised = ledger->promised();
  auto epochs = loader.epochs(StreamOptions{.epochs = std::nullopt}, {.rest = true});
  for (const bool early : {false, true, false}) {
    std::uint64_t rows = 0;
    for (const Batch& batch : epochs.next()) {
      rows += batch.size();
      CHECK(beyond_index(loader) > 64 << 10);
      if (early) break;
    }
    CHECK(rows == (early ? 4u : 10u));
    CHECK(beyond_index(loader) == 0);
    CHECK(upstream->outstanding() == 0);
    CHECK(threads() == before);
    CHECK(ledger->promised() == promised);
  }
  CHECK(loader.snapshot().samples.conserved());
}

TEST_CASE("books are in order if a stop token or bad sample ends epochs", "[api][epochs]") {
  SECTION("stop") {
    std::stop_source stop;
    Loader loader(synthetic(8, {24, 24}), small_options());
    std::uint64_t batches = 0;
    auto epochs = loader.epochs(StreamOptions{.epochs = std::nullopt, .stop = stop.get_token()});
    for (auto epoch : epochs) {
      for (const Batch& batch : epoch) {
        if (++batches == 5) stop.request_stop();
        CHECK(batch.size() == 4);
      }
    }
    CHECK(batches == 5);
    CHECK_FALSE(epochs.next());
  }
  SECTION("throw") {
    Loader loader(Flawed(20, 9), small_options());
    auto epochs = loader.epochs(2);
    CHECK_THROWS_WITH(epochs.next(), has_text("flawed/3"));
    CHECK_FALSE(epochs.next());
  }
  SECTION("a batch that an exception destroys is not finished") {
    const bool rest = GENERATE(false, true);
    const std::uint64_t thrown_at = GENERATE(1u, 4u);
    Loader loader(synthetic(20, {24, 24}), small_options());
    auto epochs = loader.epochs(2, {.rest = rest});
    try {
      for (auto epoch : epochs)
        for (const Batch& batch : epoch)
          if (batch.sequence() == thrown_at) throw std::runtime_error("a step failed");
    } catch (const std::runtime_error&) {
    }
    CHECK(epochs.progress() == loader.progress_after(thrown_at));
    // It goes on, unless it was at its end.
    auto next = epochs.next();
    CHECK(next.number() == thrown_at / 4);
    std::uint64_t rows = 0;
    for (const Batch& batch : next) rows += batch.size();
    CHECK(rows == (thrown_at == 1 ? 12u : 20u));
  }
  SECTION("the outer loop's body catches it") {
    const int step = GENERATE(0, 1, 2, 3, 4, 5);
    CAPTURE(step);
    auto options = small_options();
    options.queue.max_leases = 2;
    Loader loader(synthetic(20, {24, 24}), options);
    std::optional<Receipt> receipt;
    std::optional<Batch> held;
    auto epochs = loader.epochs(1);
    std::uint64_t rows = 0;
    bool thrown = false;
    for (auto epoch : epochs) {
      try {
        std::optional<Batch> older;  // destroyed after the newest one
        for (Batch& batch : epoch) {
          rows += batch.size();
          if (step == 5 && batch.sequence() == 0) older = std::move(batch);
          if (older && rows == older->size()) continue;
          if (batch.sequence() != 1 || std::exchange(thrown, true)) continue;
          if (step == 1) batch.finish();
          if (step == 2) std::move(batch).discard();
          if (step == 3) receipt = batch.receipt();
          if (step == 4) rows += (held = epoch.next())->size();
          if (step == 4) std::ignore = epoch.next();  // too many leases
          throw std::runtime_error("a step failed");
        }
      } catch (const std::runtime_error&) {
        held.reset();
      }
    }
    CHECK(rows == 20u);
  }
  SECTION("after a bad sample inside an epoch there is no other epoch, and progress is exact") {
    auto options = small_options();
    options.batch = 2;
    Loader loader(Flawed(20, 20), options);
    auto epochs = loader.epochs(3);
    auto epoch = epochs.next();
    CHECK(epoch.next());
    CHECK_THROWS_WITH(epoch.next(), has_text("flawed/3"));
    epoch = Epoch();
    CHECK_FALSE(epochs.next());
    CHECK(epochs.progress() == loader.progress_after(1));
  }
}

TEST_CASE("untrained samples stay unfinished when a stream starts anew",
          "[api][epochs][resume][ranks]") {
  const bool rest = GENERATE(false, true), thrown = GENERATE(false, true);
  const std::uint32_t world = GENERATE(1u, 2u);
  CAPTURE(rest, thrown, world);
  const auto source = synthetic(20, {24, 24});
  std::set<std::pair<std::uint64_t, std::uint64_t>> failed, again;
  const auto note = [](auto& places, const Batch& batch) {
    for (const auto index : batch.indices()) places.emplace(batch.epoch(), index);
  };
  // On the last rank fail the last step of epoch 0 and the first one of epoch 1. All leave epochs 2
  // and 3 early, so the stream starts anew.
  std::vector<Progress> states;
  for (std::uint32_t rank = 0; rank < world; ++rank) {
    auto options = small_options();
    options.ranks = Ranks::given(rank, world);
    Loader loader(source, options);
    auto epochs = loader.epochs(4, {.rest = rest});
    int failures = rank + 1 == world ? 0 : 2;
    while (auto epoch = epochs.next()) {
      try {
        for (Batch& batch : epoch) {
          const bool fails =
              failures == 0 ? batch.last_of_epoch() : failures == 1 && epoch.number() == 1;
          if (fails) {
            ++failures;
            note(failed, batch);
            if (thrown) throw std::runtime_error("a step failed");
            batch.receipt().abandon();
          }
          if (epoch.number() >= 2) break;
        }
      } catch (const std::runtime_error&) {
      }
    }
    states.push_back(epochs.progress());
  }
  Loader loader(source, small_options());
  auto stream = loader.stream({.resume = Progress::merge(states), .epochs = 4});
  for (const auto& batch : stream) note(again, batch);
  CHECK(failed.size() >= 6);
  CHECK(again == failed);
}

TEST_CASE("a batch held while a stream restarts is finished on release", "[api][epochs]") {
  const bool rest = GENERATE(false, true);
  auto options = small_options();
  options.queue.max_leases = 2;
  Loader loader(synthetic(20, {24, 24}), options);
  auto epochs = loader.epochs(2, {.rest = rest});
  auto held = epochs.next().next();
  CHECK(epochs.progress().epochs.front().done == std::vector<Progress::Run>{{4, 20}});
  const auto next = epochs.next();
  CHECK(next.number() == 1);
  held.reset();
  CHECK(epochs.progress() == loader.progress_after(5));
}

TEST_CASE("an epoch outlives its Epochs, and Epochs its Loader", "[api][epochs]") {
  Epoch epoch;
  {
    Loader loader(synthetic(8, {24, 24}), small_options());
    auto epochs = loader.epochs(1);
    auto moved = std::move(epochs);
    epoch = moved.next();
  }
  std::uint64_t rows = 0;
  for (const Batch& batch : epoch) rows += batch.size();
  CHECK(rows == 8);
}
