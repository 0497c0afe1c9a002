#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <vector>

#include "advice/search.hpp"
#include "base/clock.hpp"
#include "cli/commands.hpp"
#include "cli/data.hpp"
#include "cli/drive.hpp"
#include "cli/measure.hpp"
#include "cli/messages.hpp"
#include "cli/next_command.hpp"
#include "codec/format.hpp"
#include "codec/jpeg_part.hpp"
#include "codec/jpeg_tiles.hpp"
#include "plan/pixel_plan.hpp"
#include "report/advice.hpp"
#include "report/json.hpp"
#include "report/text.hpp"

namespace weir::cli {
namespace {

constexpr std::uint64_t most_decoded = 24;
constexpr std::size_t most_encoded_bytes = 32u << 20;
constexpr double most_read_s = 0.3;
/// Tiles take about 40 ms for each MiB.
constexpr std::size_t most_tiled_bytes = 4u << 20;
constexpr std::uint64_t most_tile_work = 256u << 20;
constexpr int passes = 3;

struct FewSamples {
  std::vector<MemorySample> read;  ///< their images, without planes
  std::vector<std::uint64_t> indices;
  bool empty() const { return read.empty(); }
};

/// Samples from all parts of the source.
FewSamples few_samples(const AnySource& source, const Interrupt& interrupt) {
  FewSamples samples;
  const auto count = std::min(source.size(), most_decoded);
  const auto begun = Clock::now();
  std::size_t bytes = 0;
  for (std::uint64_t i = 0; i < count && bytes < most_encoded_bytes && !interrupt.raised(); ++i) {
    if (!samples.empty() && seconds(Clock::now() - begun) > most_read_s) break;
    try {
      const auto index = source.size() / count * i;
      MemorySink sink;
      sink.want({});
      const auto sample = source.read(index, sink);
      bytes += sample.bytes.size();
      samples.read.push_back({"", {sample.bytes.begin(), sample.bytes.end()}, 0});
      samples.indices.push_back(index);
    } catch (const std::exception&) {
      continue;  // the measured run reports this fault
    }
  }
  return samples;
}

/// The first samples as they are, and with tiles.
struct TiledSamples {
  std::vector<MemorySample> before, after;
  bool any = false;   ///< whether one of them has got tiles
  double each_s = 0;  ///< CPU time for one of them
};

TiledSamples with_tiles(const std::vector<MemorySample>& samples, const Options& options,
                        const Interrupt& interrupt) {
  struct alignas(64) Line {
    std::array<std::byte, 64> bytes;
  };
  const std::atomic<bool> never{false};
  TiledSamples made;
  std::size_t bytes = 0;
  double took_s = 0;
  for (const auto& sample : samples) {
    if (bytes > most_tiled_bytes || interrupt.raised()) break;
    bytes += sample.bytes.size();
    made.before.push_back(sample);
    made.after.push_back(sample);
    const auto info = codec::probe_image(sample.bytes, plan::decoder_options(options));
    if (!info || info->format != &codec::jpeg_format || codec::tiles_across(*info) > 1) continue;
    const auto plan = codec::plan_tiles(*info, sample.bytes.size(), advice::proposed_tiles);
    if (plan.work_bytes > most_tile_work) continue;
    std::vector<Line> work(static_cast<std::size_t>(plan.work_bytes / sizeof(Line) + 1));
    std::vector<std::byte> out(static_cast<std::size_t>(plan.most_bytes));
    const double before = process_cpu_seconds();
    const auto written =
        codec::write_tiles(sample.bytes, plan, std::as_writable_bytes(std::span(work)), out, never);
    took_s += process_cpu_seconds() - before;
    if (!written) continue;
    made.after.back().bytes.assign(written->begin(), written->end());
    made.any = true;
  }
  if (made.any) made.each_s = took_s / static_cast<double>(made.before.size());
  return made;
}

/// The fastest of a few passes over the same samples, each on one worker.
class Decodes {
 public:
  Decodes(const AnySource& samples, const Options& given)
      : loader_(samples, on_one_worker(given)) {}

  void pass() {
    const auto before = busy_s(), cpu_before = process_cpu_seconds();
    auto stream = loader_.stream();
    while (stream.next()) {
    }
    // On a busy machine, the times of the stages include waits for a CPU.
    const auto took = std::min(busy_s() - before, process_cpu_seconds() - cpu_before);
    if (took > 0) fastest_s_ = fastest_s_ > 0 ? std::min(fastest_s_, took) : took;
  }
  double fastest_s() const noexcept { return fastest_s_; }

 private:
  static Options on_one_worker(const Options& given) {
    auto options = on_machine(given, 1, 1);
    options.order = Order::sequential();
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

/// Sets the decode times with one option changed, as multiples of the time with the given options.
/// Decodes the same few samples with each variant in turns, for about half a second. Sets nothing if
/// no sample can be read and decoded.
void measure_decodes(const AnySource& source, const Options& options, const Interrupt& interrupt,
                     AdviceOptions& advice) {
  auto samples = few_samples(source, interrupt);
  if (samples.empty()) return;
  TiledSamples tiled;
  if (source.planes().empty()) tiled = with_tiles(samples.read, options, interrupt);
  const auto few = source.planes().empty() ? in_memory(std::move(samples.read))
                                           : subset(source, std::move(samples.indices));
  auto fast = options, plain = options;
  fast.decode = Decode::fast;
  plain.filter = Filter::bilinear;
  Decodes now(few, options), fast_now(few, fast), plain_now(few, plain);
  std::optional<Decodes> untiled, tiled_now;
  if (tiled.any) {
    untiled.emplace(in_memory(std::move(tiled.before)), options);
    tiled_now.emplace(in_memory(std::move(tiled.after)), options);
  }
  for (int round = 0; round < passes && !interrupt.raised(); ++round) {
    now.pass();
    if (options.decode != Decode::fast) fast_now.pass();
    if (options.filter == Filter::antialiased) plain_now.pass();
    if (!tiled.any) continue;
    untiled->pass();
    tiled_now->pass();
  }
  const auto times = [](const Decodes& to, const Decodes& from) -> std::optional<double> {
    if (from.fastest_s() <= 0 || to.fastest_s() <= 0) return std::nullopt;
    return to.fastest_s() / from.fastest_s();
  };
  advice.fast_decode = times(fast_now, now);
  advice.bilinear = times(plain_now, now);
  if (!tiled.any) return;
  advice.tiles = times(*tiled_now, *untiled);
  advice.tile_s = tiled.each_s;
}

/// The interval of the requested cache after the epoch that fills it. The measurement had none.
void put_cache(Measured& measured) {
  auto& interval = *measured.interval;
  const auto& cache = interval.plan.cache;
  if (cache.keep == Cache::nothing) return;
  interval.hit_share = advice::cached_share(interval, cache.keep, cache.bytes);
  measured.predicted = true;
  measured.verdict = prediction(interval);
}

/// Measures decodes of other kinds, too, unless the consumer is the limit.
Advice advised(const AnySource& source, const Settings& settings, const Interrupt& interrupt,
               const Measured& measured) {
  AdviceOptions options{.target_readiness = settings.options.tuning.target_readiness,
                        .predict_verdict = measured.predicted};
  if (measured.verdict.regime != Regime::consumer)
    measure_decodes(source, settings.options, interrupt, options);
  if (settings.epochs) options.epochs = *settings.epochs;
  return advise(*measured.interval, options);
}

}  // namespace

int tune_command(const Settings& requested, const Interrupt& interrupt) {
  const auto [settings, source] = open_surveyed(requested, interrupt.token());
  auto measured = measure(source, settings, interrupt);
  auto run = report::envelope("run");
  report::put_run(run, measured.run);
  auto json = report::head("tune");
  json["data"] = settings.data;
  json["consumer_ms"] = settings.consumer_ms;
  json["runs"] = report::Json::array({std::move(run)});
  json["interrupted"] = interrupt.raised();
  const auto size = put_measured_size(json, settings);
  for (const auto* key : {"advice", "verdict", "next", "regime", "regime_why", "depths", "grid"})
    json[key] = nullptr;
  const bool done = measured.interval && measured.run.error.empty() && !interrupt.raised();
  if (!done) {
    emit(settings, json,
         interrupt.raised() ? "Interrupted: the measurement did not end, so there is no advice.\n"
                            : "");
    say_error(settings, measured.run.error, measured.run.figures.fault_count);
    return interrupt.raised() ? interrupted_exit : failed_exit;
  }
  put_cache(measured);
  const auto advice = advised(source, settings, interrupt, measured);
  const auto next = next_command(settings, advice, Command::sweep);
  const auto& interval = *measured.interval;
  json["advice"] = report::to_json(advice);
  json["verdict"] = advice.sentence;
  json["next"] = next;
  json["regime"] = to_string(measured.verdict.regime);
  json["regime_why"] = measured.verdict.why;
  json["depths"] = report::depths_json(interval.plan, predict_depths(interval, advice.now.setting));
  if (!settings.json.empty() || !settings.html.empty())
    json["grid"] = report::setting_grid(interval, advice);
  const auto& figures = measured.run.figures;
  auto planes = report::planes_text(figures.planes, figures.faults);
  if (!planes.empty()) planes = report::row_text(figures.plan) + '\n' + planes;
  emit(settings, json,
       report::verdict_text(advice) + size +
           report::interval_text(interval, figures.plan.read_ahead) + planes + '\n' +
           report::samples_text(figures.samples, report::common_values(figures.plan),
                                figures.plan.partners) +
           '\n' + report::levers_text(advice) + report::next_text(advice, next),
       measured.run.pictures);
  return done_exit;
}

}  // namespace weir::cli
