// Predictions beside measurements, where reads, decodes and the consumer only sleep, so that the
// number of cores does not matter: see README.md.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "loads.hpp"

namespace {

using namespace weir;
using namespace weir::bench;

constexpr std::uint32_t depths[] = {1, 2, 4, 8};

struct Case {
  Load load;
  std::uint32_t read_ahead, workers;
};

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
  return cases;
}

Loader loader_of(const Case& c, std::uint32_t depth) {
  auto options = options_of(c.load);
  set(options, {depth, c.workers, c.read_ahead, 0});
  return Loader(source_of(c.load), options);
}

/// Measures `epochs` whole epochs after a first one, so that all runs have the same delays.
Interval measure(const Case& c, std::uint32_t depth, std::uint64_t epochs) {
  auto loader = loader_of(c, depth);
  auto stream = loader.stream({.epochs = epochs + 2});
  const auto epoch = loader.batches_per_epoch();
  Report before;
  for (std::uint64_t n = 0; n < (1 + epochs) * epoch; ++n) {
    if (n == epoch) before = loader.report();
    auto batch = stream.next();
    consume(c.load, n);
  }
  return interval(before, loader.report());
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 5;
  const std::string only = argc > 3 ? argv[3] : "";
  const std::uint64_t epochs = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 2;
  std::printf("%d rounds in turns; samples/s, medians; error of the prediction (least, most)\n",
              rounds);
  std::printf("%-24s %5s %9s %9s %8s\n", "", "queue", "predicted", "measured", "error");
  for (const auto& c : all_cases()) {
    if (std::string_view(c.load.name).find(only) == std::string_view::npos) continue;
    std::vector<double> predicted[4], measured[4], error[4];
    // There are only a few batches of photographs.
    const auto whole = c.load.photographs ? 10 * epochs : epochs;
    for (int round = 0; round < rounds; ++round) {
      const auto seen = measure(c, 4, whole);
      for (std::size_t i = 0; i < 4; ++i) {
        auto setting = setting_of(seen.plan);
        setting.max_queue_size = depths[i];
        predicted[i].push_back(
            predict(seen, setting, static_cast<std::uint64_t>(round)).samples_per_s);
        measured[i].push_back(rate(measure(c, depths[i], whole)));
        error[i].push_back(100 * (predicted[i].back() / measured[i].back() - 1));
      }
    }
    for (std::size_t i = 0; i < 4; ++i) {
      const auto [least, most] = std::minmax_element(error[i].begin(), error[i].end());
      std::printf("%-24s %5u %9.0f %9.0f %+7.1f%% (%+.1f, %+.1f)\n", i == 0 ? c.load.name : "",
                  depths[i], median(predicted[i]), median(measured[i]), median(error[i]), *least,
                  *most);
      std::fflush(stdout);
    }
  }
}
