#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "advice/search.hpp"
#include "base/clock.hpp"
#include "codec/format.hpp"
#include "codec/jpeg_part.hpp"
#include "codec/jpeg_tiles.hpp"
#include "options/on_machine.hpp"
#include "plan/pixel_plan.hpp"
#include "weir/advice.hpp"
#include "weir/loader.hpp"
#include "weir/source.hpp"

namespace weir {
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
};

/// Samples from all parts of the source.
FewSamples few_samples(const AnySource& source, const std::stop_token& stop) {
  FewSamples samples;
  const auto count = std::min(source.size(), most_decoded);
  const auto begun = Clock::now();
  std::size_t bytes = 0;
  for (std::uint64_t i = 0; i < count && bytes < most_encoded_bytes && !stop.stop_requested();
       ++i) {
    if (!samples.read.empty() && seconds(Clock::now() - begun) > most_read_s) break;
    try {
      const auto index = source.size() / count * i;
      MemorySink sink;
      sink.want({});
      const auto sample = source.read(index, sink);
      bytes += sample.bytes.size();
      samples.read.push_back({"", {sample.bytes.begin(), sample.bytes.end()}});
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
                        const std::stop_token& stop) {
  struct alignas(64) Line {
    std::array<std::byte, 64> bytes;
  };
  const std::atomic<bool> never{false};
  TiledSamples made;
  std::size_t bytes = 0;
  double took_s = 0;
  for (const auto& sample : samples) {
    if (bytes > most_tiled_bytes || stop.stop_requested()) break;
    bytes += sample.bytes.size();
    made.before.push_back(sample);
    made.after.push_back(sample);
    const auto info = codec::probe_image(sample.bytes, plan::decoder_options(options));
    if (!info || info->format != &codec::jpeg_format || codec::tiles_across(*info) > 1) continue;
    const auto plan = codec::plan_tiles(*info, sample.bytes.size(), advice::proposed_tiles);
    if (plan.work_bytes > most_tile_work) continue;
    std::vector<Line> work(static_cast<std::size_t>(plan.work_bytes / sizeof(Line) + 1));
    std::vector<std::byte> out(static_cast<std::size_t>(plan.most_bytes));
    const auto before = thread_cpu_time();
    const auto written =
        codec::write_tiles(sample.bytes, plan, std::as_writable_bytes(std::span(work)), out, never);
    took_s += seconds(thread_cpu_time() - before);
    if (!written) continue;
    made.after.back().bytes.assign(written->begin(), written->end());
    made.any = true;
  }
  if (made.any) made.each_s = took_s / static_cast<double>(made.before.size());
  return made;
}

/// The fastest of a few passes over the same samples.
class Decodes {
 public:
  Decodes(const AnySource& samples, const Options& options) : loader_(samples, options) {}

  void pass() {
    const auto before = loader_.report();
    for ([[maybe_unused]] auto& batch : loader_.stream()) {
    }
    const auto after = loader_.report();
    // On a busy machine, the times of the stages include waits for a CPU.
    const auto took = std::min(busy_s(after) - busy_s(before),
                               after.queue.cpu.workers_s - before.queue.cpu.workers_s);
    if (took > 0) fastest_s_ = fastest_s_ > 0 ? std::min(fastest_s_, took) : took;
  }
  double fastest_s() const noexcept { return fastest_s_; }

 private:
  static double busy_s(const Report& report) {
    double busy = 0;
    for (const auto& stage : report.stages)
      if (stage.stage == Stage::decode || stage.stage == Stage::fit) busy += stage.busy_s;
    return busy;
  }

  Loader loader_;
  double fastest_s_ = 0;
};

/// `given` for these samples of the source, in their order, on one worker.
Options for_few(const Options& given, const std::vector<std::uint64_t>& indices) {
  auto options = options::on_machine(given, 1, 1);
  options.batch = std::min(options.batch, static_cast<std::uint32_t>(indices.size()));
  options.drop_last = false;
  options.ranks = {};
  options.order = Order::sequential();
  options.partners = {};
  options.sizes.index.reset();
  options.faults = {.policy = OnFault::blank, .strict = given.faults.strict};
  // The image is decoded as for the transform, which is not called.
  if (options.transform.apply) options.transform.apply = [](DecodedSample&) {};
  if (const auto& choose = given.window.choose)
    options.window.choose = [choose, indices](WindowInput input, Random& random) {
      input.index = indices[static_cast<std::size_t>(input.index)];
      return choose(input, random);
    };
  return options;
}

}  // namespace

DecodeTimes measure_decodes(const AnySource& source, const Options& options,
                            const std::stop_token& stop) {
  if (options.decode == Decode::none) return {};
  auto samples = few_samples(source, stop);
  if (samples.indices.empty()) return {};
  const auto as_given = for_few(options, samples.indices);
  const bool image_is_all = source.planes().empty() && !options.window.choose;
  TiledSamples made;
  if (image_is_all) made = with_tiles(samples.read, options, stop);
  const auto few = image_is_all ? in_memory(std::move(samples.read))
                                : subset(source, std::move(samples.indices));
  Decodes now(few, as_given);
  std::optional<Decodes> fast, bilinear, untiled, tiled;
  if (options.decode == Decode::exact) {
    auto changed = as_given;
    changed.decode = Decode::fast;
    fast.emplace(few, changed);
  }
  if (options.filter == Filter::antialiased) {
    auto changed = as_given;
    changed.filter = Filter::bilinear;
    bilinear.emplace(few, changed);
  }
  if (made.any) {
    untiled.emplace(in_memory(std::move(made.before)), as_given);
    tiled.emplace(in_memory(std::move(made.after)), as_given);
  }
  for (int round = 0; round < passes && !stop.stop_requested(); ++round) {
    now.pass();
    for (auto* const other : {&fast, &bilinear, &untiled, &tiled})
      if (*other) (*other)->pass();
  }
  const auto times = [](const std::optional<Decodes>& to,
                        const Decodes& from) -> std::optional<double> {
    if (!to || to->fastest_s() <= 0 || from.fastest_s() <= 0) return std::nullopt;
    return to->fastest_s() / from.fastest_s();
  };
  DecodeTimes found{.fast = times(fast, now), .bilinear = times(bilinear, now)};
  if (!made.any) return found;
  found.tiles = times(tiled, *untiled);
  found.tile_s = made.each_s;
  return found;
}

}  // namespace weir
