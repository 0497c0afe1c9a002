#include "cli/next_command.hpp"

#include <algorithm>
#include <sstream>

#include "cli/measure.hpp"
#include "report/advice.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"
#include "support/units.hpp"
#include "unit/advice/intervals.hpp"

#include <nlohmann/json.hpp>

using namespace weir;
using test::Approx;
using test::interval_of;

namespace {

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

cli::Settings pasted(const std::string& flags) {
  auto words = words_of(flags);
  words.insert(words.begin(), {"run", "synthetic:8,8x8"});
  return cli::parse(words);
}

}  // namespace

TEST_CASE("every flag of an advice parses and sets what its lever says", "[advice]") {
  std::size_t kinds = 0;
  constexpr std::optional<std::uint64_t> none, tight = 40u << 20;
  for (const auto& [times, budget] : {std::pair{test::Times{0.05, 3, 10, 0.3}, none},
                                      std::pair{test::Times{50, 3, 60, 0.5, 0.5}, tight}}) {
    if (test::sanitized && kinds > 0) break;  // the advice within a tight budget takes long then
    Options options;
    options.memory.budget_bytes = budget;
    options.filter = Filter::antialiased;
    auto interval = interval_of(times, 4, options);
    interval.source_samples = 1000;
    interval.plan.workers = 2;
    const auto advice = advise(interval, {.decodes = {.fast = 0.5}});
    CHECK_NOTHROW(pasted(advice.flags));
    for (const auto& lever : advice.levers) {
      CAPTURE(lever.flag);
      if (lever.flag.empty()) continue;
      ++kinds;
      const auto settings = pasted(lever.flag);
      const auto& o = settings.options;
      if (lever.change <= Change::settings || lever.change == Change::budget) {
        const auto& to = lever.result.setting;
        const auto& now = advice.now.setting;
        if (to.read_ahead != now.read_ahead) CHECK(o.io.read_ahead == to.read_ahead);
        if (to.workers != now.workers) CHECK(o.workers == to.workers);
        if (to.max_queue_size != now.max_queue_size)
          CHECK(o.queue.max_queue_size == to.max_queue_size);
      }
      if (lever.change == Change::budget) CHECK(o.memory.budget_bytes == 2 * budget.value());
      if (lever.change == Change::decode) CHECK(o.decode == Decode::fast);
      if (lever.change == Change::filter) CHECK(o.filter == Filter::bilinear);
      if (lever.change == Change::cache) {
        CHECK(lever.to.starts_with(to_string(o.cache.keep)));
        CHECK(o.cache.max_bytes.value() > 0);
        // The advised cache holds what it is said to hold.
        for (const auto& cache : advice.cache)
          if (cache.keep == o.cache.keep && cache.share >= 1)
            CHECK(o.cache.max_bytes.value() >= cache.whole_bytes);
      }
    }
  }
  CHECK(kinds >= (test::sanitized ? 4 : 8));
}

TEST_CASE("the next command keeps or replaces options and drops outputs", "[advice]") {
  auto settings =
      cli::parse({"tune", "synthetic:8,8x8", "--batch", "4", "--read-ahead=2", "--html", "x.html",
                  "--target-readiness", "0.9", "--shuffle", "--consumer-ms", "5", "--quiet"});
  CHECK(cli::next_command(settings, cli::Command::run, "--read-ahead 27") ==
        "weir run synthetic:8,8x8 --batch 4 --shuffle --consumer-ms 5 --read-ahead 27");
  CHECK(cli::next_command(settings, cli::Command::sweep) ==
        "weir sweep synthetic:8,8x8 --batch 4 --read-ahead=2 --shuffle --consumer-ms 5");
  settings = cli::parse({"sweep", "synthetic:8,8x8", "--max-queue-size", "1,2", "--rounds", "4"});
  CHECK(cli::next_command(settings, cli::Command::tune) == "weir tune synthetic:8,8x8");
  // Commands that measure settings refuse automatic tuning.
  settings = cli::parse({"run", "synthetic:8,8x8", "--options", "tuning.mode=automatic,seed=3"});
  CHECK(cli::next_command(settings, cli::Command::tune) ==
        "weir tune synthetic:8,8x8 --options seed=3");
  CHECK(cli::next_command(settings, cli::Command::run) ==
        "weir run synthetic:8,8x8 --options tuning.mode=automatic,seed=3");
  settings = cli::parse({"tune", "synthetic:8,8x8", "--cache", "encoded:64KiB", "--cache-tiles=8"});
  CHECK(cli::next_command(settings, cli::Command::run, "--cache decoded:1MiB") ==
        "weir run synthetic:8,8x8 --cache decoded:1MiB");
  CHECK(cli::next_command(settings, cli::Command::run, "--workers 3") ==
        "weir run synthetic:8,8x8 --cache encoded:64KiB --cache-tiles=8 --workers 3");
  settings = cli::parse({"tune", "--batch", "4", "--", "-photos"});
  CHECK(cli::next_command(settings, cli::Command::run, "--workers 3") ==
        "weir run --batch 4 --workers 3 -- -photos");
  settings.arguments = {"run", "x", "--ranks", "torchrun"};  // there is no launcher in a shell
  CHECK(cli::next_command(settings, cli::Command::tune) == "weir tune x");
  settings.arguments = {"run", "my photos/it's"};
  CHECK(cli::next_command(settings, cli::Command::tune) == "weir tune 'my photos/it'\\''s'");
}

TEST_CASE("the next command takes the best lever of known effect", "[advice]") {
  const auto settings = cli::parse({"run", "synthetic:8,8x8"});
  Advice advice;
  CHECK(cli::next_command(settings, advice, cli::Command::sweep) == "weir sweep synthetic:8,8x8");
  Lever trainer, unknown, cache, workers;
  unknown.basis = Basis::unknown;
  unknown.flag = "--decode fast";
  cache.change = Change::cache;
  cache.flag = "--cache encoded:1MiB";
  cache.pays_from = 2;
  workers.flag = "--workers 3";
  for (auto* lever : {&unknown, &cache, &workers}) lever->code = "options.";
  cache.gain = workers.gain = 1.5;
  advice.levers = {trainer, cache, workers, unknown};
  CHECK(cli::next_command(settings, advice, cli::Command::sweep) ==
        "weir run synthetic:8,8x8 --cache encoded:1MiB --epochs 3");
  // Steps can end before the change pays.
  advice.levers[1].pays_from = 9;
  CHECK(cli::next_command(cli::parse({"run", "synthetic:8,8x8", "--steps", "5"}), advice,
                          cli::Command::sweep) ==
        "weir run synthetic:8,8x8 --cache encoded:1MiB --epochs 17");
  // tune measures what a run cannot.
  advice.levers = {trainer, unknown};
  CHECK(cli::next_command(settings, advice, cli::Command::sweep) == "weir tune synthetic:8,8x8");
  advice.levers = {workers, cache};
  CHECK(cli::next_command(settings, advice, cli::Command::sweep) ==
        "weir run synthetic:8,8x8 --workers 3");
}

TEST_CASE("the command after a sweep has its depth if no lever does", "[advice]") {
  const auto settings = cli::parse({"sweep", "synthetic:8,8x8", "--max-queue-size", "1,2"});
  const auto next = [&](const Advice& advice) {
    return cli::next_command(settings, advice, cli::Command::run, "--max-queue-size 2");
  };
  Advice advice;
  CHECK(next(advice) == "weir run synthetic:8,8x8 --max-queue-size 2");
  Lever workers, several;
  workers.flag = "--workers 3";
  several.flag = "--max-queue-size 4 --read-ahead 8";
  workers.code = several.code = "options.";
  advice.levers = {workers};
  CHECK(next(advice) == "weir run synthetic:8,8x8 --max-queue-size 2 --workers 3");
  advice.levers = {several};
  CHECK(next(advice) == "weir run synthetic:8,8x8 --max-queue-size 4 --read-ahead 8");
}

#ifndef WEIR_THREAD_SANITIZER  // one thread, and minutes of arithmetic
TEST_CASE("a page's grid has all predictions and the current settings", "[advice]") {
  Options options;
  options.memory.budget_bytes = 64u << 20;
  const auto interval = interval_of({10, 3, 58, 0.5}, 2, options);
  const auto advice = advise(interval);
  const auto grid = report::setting_grid(interval, advice);
  std::size_t count = 1;
  for (const auto* axis : {"max_queue_size", "workers", "read_ahead", "consumer_s"}) {
    CAPTURE(axis);
    CHECK(std::ranges::is_sorted(grid[axis]));
    CHECK(grid[axis].size() >= 2);
    count *= grid[axis].size();
  }
  REQUIRE(grid["points"].size() == count);
  const auto& now = grid["points"][grid["now"].get<std::size_t>()];
  CHECK(now["samples_per_s"].get<double>() == Approx(advice.now.samples_per_s).epsilon(0.02));
  CHECK(now["total_bytes"] == advice.now.total_bytes);
  // The budget holds no queue of 16.
  CHECK(grid["points"].back().is_null());
}
#endif
