// Predictions beside measurements, where reads, decodes and the consumer only sleep, so that the
// number of cores does not matter: see README.md.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "source/delayed.hpp"
#include "weir/weir.hpp"

namespace {

using namespace weir;
using Milliseconds = std::chrono::duration<double, std::milli>;

constexpr Shape shape{8, 8};
constexpr std::uint64_t samples = 1024;
constexpr std::uint32_t depths[] = {1, 2, 4, 8};

struct Case {
  const char* name;
  double read_ms, read_deviation_ms;
  std::uint32_t read_ahead, workers;
  double decode_ms;
  std::uint32_t batch;
  std::vector<double> consumer_ms;  ///< repeats
};

const std::vector<double> bursts = [] {
  std::vector<double> times(15, 2.0);
  times.push_back(150);
  return times;
}();

const Case cases[] = {
    {"reads 20:30, 16 ahead", 20, 30, 16, 2, 0.5, 32, {8}},
    {"reads 20:60, 16 ahead", 20, 60, 16, 2, 0.5, 32, {8}},
    {"reads 20:30, 64 ahead", 20, 30, 64, 4, 0.5, 64, {8}},
    {"reads 20:60, 64 ahead", 20, 60, 64, 4, 0.5, 64, {8}},
    {"bursts of the consumer", 0, 0, 0, 4, 4, 16, bursts},
};

/// Accepts samples of one byte. A decode only sleeps.
class SleepingCodec final : public ForeignCodec {
 public:
  explicit SleepingCodec(double ms) : time_(ms) {}
  bool accepts(std::span<const std::byte> head) const noexcept override { return !head.empty(); }
  Info info(std::span<const std::byte>) const override { return {shape.width, shape.height, 0}; }
  void decode(std::span<const std::byte>, const Info&, std::span<std::uint8_t>) const override {
    std::this_thread::sleep_for(time_);
  }

 private:
  Milliseconds time_;
};

AnySource source_of(const Case& c) {
  std::vector<MemorySample> bytes(samples);
  for (auto& sample : bytes) sample.bytes.resize(1);
  auto source = in_memory(std::move(bytes));
  if (c.read_ms <= 0) return source;
  return source::delayed(std::move(source), source::ReadDelay(c.read_ms, c.read_deviation_ms, 11));
}

Loader loader_of(const Case& c, std::uint32_t depth) {
  Options options{.shape = shape,
                  .fit = Fit::stretch,
                  .order = weir::Order::shuffle(),
                  .batch = c.batch,
                  .workers = c.workers,
                  .codecs = {std::make_shared<SleepingCodec>(c.decode_ms)}};
  options.queue.max_queue_size = depth;
  options.io.read_ahead = c.read_ahead;
  return Loader(source_of(c), options);
}

/// Measures `epochs` whole epochs after a first one, so that all runs have the same delays.
Window measure(const Case& c, std::uint32_t depth, std::uint64_t epochs) {
  auto loader = loader_of(c, depth);
  auto stream = loader.stream({.epochs = epochs + 2});
  const auto epoch = samples / c.batch;
  Report before;
  for (std::uint64_t n = 0; n < (1 + epochs) * epoch; ++n) {
    if (n == epoch) before = loader.report();
    auto batch = stream.next();
    std::this_thread::sleep_for(Milliseconds(c.consumer_ms[n % c.consumer_ms.size()]));
  }
  return window(before, loader.report());
}

double rate(const Window& w) { return static_cast<double>(w.samples) / w.seconds; }

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 5;
  const std::string only = argc > 3 ? argv[3] : "";
  const std::uint64_t epochs = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 2;
  std::printf("%d rounds in turns; samples/s, medians; error of the prediction (least, most)\n",
              rounds);
  std::printf("%-24s %5s %9s %9s %8s\n", "", "queue", "predicted", "measured", "error");
  for (const auto& c : cases) {
    if (std::string_view(c.name).find(only) == std::string_view::npos) continue;
    std::vector<double> predicted[4], measured[4], error[4];
    for (int round = 0; round < rounds; ++round) {
      const auto seen = measure(c, 4, epochs);
      for (std::size_t i = 0; i < 4; ++i) {
        auto setting = setting_of(seen.plan);
        setting.max_queue_size = depths[i];
        predicted[i].push_back(
            predict(seen, setting, static_cast<std::uint64_t>(round)).samples_per_s);
        measured[i].push_back(rate(measure(c, depths[i], epochs)));
        error[i].push_back(100 * (predicted[i].back() / measured[i].back() - 1));
      }
    }
    for (std::size_t i = 0; i < 4; ++i) {
      const auto [least, most] = std::minmax_element(error[i].begin(), error[i].end());
      std::printf("%-24s %5u %9.0f %9.0f %+7.1f%% (%+.1f, %+.1f)\n", i == 0 ? c.name : "",
                  depths[i], median(predicted[i]), median(measured[i]), median(error[i]), *least,
                  *most);
      std::fflush(stdout);
    }
  }
}
