// Predictions beside measurements, where reads, decodes and the consumer only sleep, so that the
// number of cores does not matter: see README.md.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "loads.hpp"

namespace {

using namespace weir;
using namespace weir::bench;

/// What is predicted from the case's own setting, and run.
struct Try {
  std::string name;
  Setting setting;
  Cache keep = Cache::nothing;
};

struct Case {
  Load load;
  std::uint32_t read_ahead, workers;
  std::vector<Try> tries{};  ///< empty: some depths

  Setting setting(std::uint32_t depth) const { return {depth, workers, read_ahead, load.batch}; }
};

constexpr std::uint32_t own_depth = 4;

std::vector<Case> all_cases() {
  std::vector<Case> cases{{{"reads 20:30, 16 ahead", 20, 30, 0.5, 32, {8}}, 16, 2},
                          {{"reads 20:60, 16 ahead", 20, 60, 0.5, 32, {8}}, 16, 2},
                          {{"reads 20:30, 64 ahead", 20, 30, 0.5, 64, {8}}, 64, 4},
                          {{"reads 20:60, 64 ahead", 20, 60, 0.5, 64, {8}}, 64, 4},
                          {{"bursts of the consumer", 0, 0, 4, 16, bursts()}, 0, 4}};
  if (photographs()) {
    Load load{.name = "photographs, decode", .batch = 32, .consumer_ms = {0}, .photographs = true};
    cases.push_back({load, 0, 2});
    load.name = "photographs, consumer";
    load.consumer_ms = {45};
    cases.push_back({load, 0, 2});
  }
  if (test_data("cifar10")) {
    // A row takes less time than to wake a thread, so what a thread does beside reads and decodes counts.
    Case small{
        {.name = "CIFAR-10, 8 ahead", .batch = 128, .consumer_ms = {0}, .small = true}, 8, 2};
    const auto own = small.setting(own_depth);
    small.tries = {{"4", own},
                   {"encoded cache", own, Cache::encoded},
                   {"decoded cache", own, Cache::decoded},
                   {"63, 244 ahead", {63, 2, 244, small.load.batch}}};
    cases.push_back(std::move(small));
  }
  for (auto& c : cases)
    for (const std::uint32_t depth : {1u, 2u, 4u, 8u})
      if (!c.load.small) c.tries.push_back({std::to_string(depth), c.setting(depth)});
  return cases;
}

constexpr std::uint64_t cache_bytes = 64 << 20;

Loader loader_of(const Case& c, const Try& t) {
  auto options = options_of(c.load);
  set(options, t.setting);
  if (t.keep != Cache::nothing) options.cache = {t.keep, cache_bytes};
  return Loader(source_of(c.load), options);
}

/// Measures whole epochs after a first one, so that all runs have the same delays: at least `epochs`, and
/// for at least half a second, because the scheduler gives CPUs for milliseconds.
Interval measure(const Case& c, const Try& t, std::uint64_t epochs) {
  constexpr std::chrono::milliseconds least{500};
  auto loader = loader_of(c, t);
  auto stream = loader.stream({.epochs = std::nullopt});
  const auto epoch = loader.batches_per_epoch();
  Report before;
  auto begun = Clock::now();
  for (std::uint64_t n = 0;
       n < (1 + epochs) * epoch || n % epoch != 0 || Clock::now() - begun < least; ++n) {
    if (n == epoch) {
      before = loader.report();
      begun = Clock::now();
    }
    auto batch = stream.next();
    consume(c.load, n);
  }
  return interval(before, loader.report());
}

double predicted_rate(const Interval& seen, const Try& t, std::uint64_t seed) {
  if (t.keep == Cache::nothing) return predict(seen, t.setting, seed).samples_per_s;
  for (const auto& cache : advise(seen, {.cache_bytes = cache_bytes}).cache)
    if (cache.keep == t.keep) return cache.to.samples_per_s;
  std::abort();
}

struct Found {
  std::vector<double> predicted, measured, error;
};

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 5;
  const std::string only = argc > 3 ? argv[3] : "";
  const std::uint64_t epochs = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 2;
  std::printf("%d rounds in turns; samples/s, medians; error of the prediction (least, most)\n",
              rounds);
  std::printf("%-24s %15s %9s %9s %8s\n", "", "queue", "predicted", "measured", "error");
  for (const auto& c : all_cases()) {
    if (std::string_view(c.load.name).find(only) == std::string_view::npos) continue;
    std::vector<Found> found(c.tries.size());
    // There are only a few batches of them.
    const auto whole = c.load.photographs || c.load.small ? 10 * epochs : epochs;
    for (int round = 0; round < rounds; ++round) {
      const auto seen = measure(c, {"", c.setting(own_depth)}, whole);
      for (std::size_t i = 0; i < found.size(); ++i) {
        auto& [predicted, measured, error] = found[i];
        const auto& t = c.tries[i];
        predicted.push_back(predicted_rate(seen, t, static_cast<std::uint64_t>(round)));
        measured.push_back(rate(measure(c, t, whole)));
        error.push_back(100 * (predicted.back() / measured.back() - 1));
      }
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto& [predicted, measured, error] = found[i];
      const auto [least, most] = std::ranges::minmax(error);
      std::printf("%-24s %15s %9.0f %9.0f %+7.1f%% (%+.1f, %+.1f)\n", i == 0 ? c.load.name : "",
                  c.tries[i].name.c_str(), median(predicted), median(measured), median(error),
                  least, most);
      std::fflush(stdout);
    }
  }
}
