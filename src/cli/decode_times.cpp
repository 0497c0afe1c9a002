#include "cli/decode_times.hpp"

#include <algorithm>
#include <exception>
#include <vector>

#include "base/clock.hpp"
#include "cli/vector_sink.hpp"
#include "weir/loader.hpp"

namespace weir::cli {
namespace {

constexpr std::uint64_t most_decoded = 24;
constexpr std::size_t most_encoded_bytes = 32u << 20;
constexpr double most_read_s = 0.3;
constexpr int passes = 3;

/// Samples from all parts of the source.
std::vector<MemorySample> few_samples(const AnySource& source, const Interrupt& interrupt) {
  std::vector<MemorySample> samples;
  const auto count = std::min(source.size(), most_decoded);
  const auto begun = Clock::now();
  std::size_t bytes = 0;
  VectorSink sink;
  for (std::uint64_t i = 0; i < count && bytes < most_encoded_bytes && !interrupt.raised(); ++i) {
    if (!samples.empty() && seconds(Clock::now() - begun) > most_read_s) break;
    try {
      const auto sample = source.read(source.size() / count * i, sink);
      bytes += sample.bytes.size();
      samples.push_back({"", {sample.bytes.begin(), sample.bytes.end()}, 0});
    } catch (const std::exception&) {
      continue;  // the measured run reports this fault
    }
  }
  return samples;
}

/// The fastest of a few passes over the same samples, each on one worker.
class Decodes {
 public:
  Decodes(const AnySource& samples, Options options) : loader_(samples, with_one_worker(options)) {}

  void pass() {
    const auto before = busy_s();
    auto stream = loader_.stream();
    while (stream.next()) {
    }
    const auto took = busy_s() - before;
    if (took > 0) fastest_s_ = fastest_s_ > 0 ? std::min(fastest_s_, took) : took;
  }
  double fastest_s() const noexcept { return fastest_s_; }

 private:
  static Options with_one_worker(Options options) {
    options.workers = 1;
    options.order = Order::sequential();
    options.queue = {.max_queue_size = 1};
    options.io = {};
    options.memory = {};
    options.cache = {};
    options.tuning = {};
    options.trace = {};
    options.watchdog = {};
    options.faults = {.policy = OnFault::blank};
    return options;
  }

  double busy_s() const {
    double busy = 0;
    for (const auto& stage : loader_.report().stages)
      if (stage.stage == Stage::decode || stage.stage == Stage::fit) busy += stage.busy_s;
    return busy;
  }

  Loader loader_;
  double fastest_s_ = 0;
};

}  // namespace

DecodeTimes measure_decodes(const AnySource& source, const Options& options,
                            const Interrupt& interrupt) {
  auto samples = few_samples(source, interrupt);
  if (samples.empty()) return {};
  const auto few = in_memory(std::move(samples));
  auto fast = options, plain = options;
  fast.decode = Decode::fast;
  plain.antialias = false;
  Decodes now(few, options), fast_now(few, fast), plain_now(few, plain);
  for (int round = 0; round < passes && !interrupt.raised(); ++round) {
    now.pass();
    if (options.decode != Decode::fast) fast_now.pass();
    if (options.antialias) plain_now.pass();
  }
  const auto times = [&](const Decodes& variant) -> std::optional<double> {
    if (now.fastest_s() <= 0 || variant.fastest_s() <= 0) return std::nullopt;
    return variant.fastest_s() / now.fastest_s();
  };
  return {times(fast_now), times(plain_now)};
}

}  // namespace weir::cli
