#include <algorithm>
#include <cmath>
#include <utility>

#include "advice/cpu_share.hpp"
#include "advice/plan_with.hpp"
#include "advice/search.hpp"
#include "base/byte_text.hpp"
#include "base/checked.hpp"
#include "base/text.hpp"
#include "source/order.hpp"

namespace weir::advice {
namespace {

constexpr double half = 0.5;
constexpr std::uint64_t one_mib = 1 << 20, one_kib = 1 << 10;

std::string milliseconds(double seconds) {
  const double ms = seconds * 1e3;
  return format(ms < 10 ? "%.2f ms" : ms < 100 ? "%.1f ms" : "%.0f ms", ms);
}

class Levers {
 public:
  Levers(const Interval& interval, const AdviceOptions& options, Search& search,
         const Advice& advice)
      : interval_(interval),
        options_(options),
        search_(search),
        advice_(advice),
        now_(advice.now),
        plan_(plan_with(interval.plan, setting_of(interval.plan), interval.plan.budget_bytes)) {}

  std::vector<Lever> ranked() && {
    if (is_worth_it(advice_.ceiling)) {
      for (const auto& knob : knobs) add_knob(knob);
    }
    add_recommended();
    add_caches();
    add_budget();
    add_supposed();
    add_copies();
    rank();
    for (auto& lever : levers_) lever.sentence = lever_text(lever, now_);
    return std::move(levers_);
  }

 private:
  /// The largest gain first, as it is printed: with two decimals. Of equal gains, what keeps the pixels,
  /// then the one with the fewest bytes. Unknown gains are last.
  void rank() {
    std::ranges::stable_sort(levers_, {}, [](const Lever& lever) {
      const bool other_pixels = lever.change == Change::decode || lever.change == Change::filter;
      return std::tuple(-std::round(100 * lever.gain.value_or(0)), other_pixels, lever.bytes);
    });
  }

  double gain(const Prediction& to) const { return to.samples_per_s / now_.samples_per_s; }

  bool is_worth_it(const Prediction& to) const {
    return gain(to) >= 1 + least_gain || to.data_readiness >= now_.data_readiness + least_gain;
  }

  /// Whether the result is as good as now, for fewer bytes.
  bool saves(const Prediction& to) const {
    return gain(to) > 1 - least_gain / 2 && to.total_bytes < now_.total_bytes &&
           to.data_readiness >= std::min(options_.target_readiness, now_.data_readiness - 0.01);
  }

  Lever& add(Change change, std::string from, std::string to, const Prediction& result) {
    auto& lever = levers_.emplace_back();
    lever.change = change;
    lever.title = concat(to_string(change), " ", from, " → ", to);
    lever.from = std::move(from);
    lever.to = std::move(to);
    lever.gain = gain(result);
    lever.bytes =
        static_cast<std::int64_t>(result.total_bytes) - static_cast<std::int64_t>(now_.total_bytes);
    lever.result = result;
    return lever;
  }

  void add_knob(const Knob& knob) {
    const auto found = search_.alone(now_.setting, knob.value);
    if (!found || found->setting.*knob.value <= now_.setting.*knob.value || !is_worth_it(*found))
      return;
    add_settings(*found);
  }

  void add_recommended() {
    const auto& to = advice_.recommended;
    const bool listed = std::ranges::any_of(
        levers_, [&](const Lever& lever) { return lever.result.setting == to.setting; });
    if (!listed && to.setting != now_.setting && (is_worth_it(to) || saves(to))) add_settings(to);
  }

  /// One or several knobs.
  void add_settings(const Prediction& result) {
    const auto &had = now_.setting, &has = result.setting;
    const auto changes = changed(has, &had);
    const auto values = [&](const Setting& of) {
      return joined(changes, ", ",
                    [&](const Knob* knob) { return std::to_string(of.*knob->value); });
    };
    const bool one = changes.size() == 1;
    auto& lever =
        add(one ? changes[0]->change : Change::settings, values(had), values(has), result);
    lever.title = joined(changes, ", ", [&](const Knob* knob) {
      return concat(knob->name, " ", had.*knob->value, " → ", has.*knob->value);
    });
    lever.flag = flags_of(has, &had);
    lever.code = code_of(has, &had);
    if (one && is_worth_it(result)) lever.why = concat("Then ", changes[0]->why);
    if (!is_worth_it(result)) lever.why = "It saves memory";
  }

  void add_caches() {
    const auto& had = interval_.plan.cache;
    const bool bounded = options_.cache_bytes || had.requested;
    const auto all =
        bounded ? cache_advice(interval_, search_, unlimited, options_.decodes) : advice_.cache;
    for (const auto& cache : all) {
      if (is_worth_it(cache.to)) add_cache(cache, cache.to, 0);
      if (cache.tiled) add_tiled_cache(cache);
    }
  }

  Lever* add_cache(const CacheAdvice& cache, Prediction result, std::uint32_t tiles) {
    const auto& had = interval_.plan.cache;
    const bool whole = cache.bytes == cache.whole_bytes;
    const auto unit = cache.bytes >= one_mib ? one_mib : one_kib;
    const auto bytes = whole ? round_up(cache.bytes, one_mib) : cache.bytes / unit * unit;
    if (bytes == 0) return nullptr;
    const auto kept = had.keep == Cache::nothing
                          ? std::string(to_string(Cache::nothing))
                          : value_of({.keep = had.keep, .max_bytes = had.requested});
    const CacheOptions to{.keep = cache.keep, .max_bytes = bytes, .tiles = tiles};
    result.total_bytes = add_sat(sub_floor(result.total_bytes, cache.bytes), bytes);
    const auto with = tiles > 0 ? concat(" with ", tiles, " tiles") : std::string();
    auto& lever = add(Change::cache, kept, value_of(to) + with, result);
    lever.bytes -= static_cast<std::int64_t>(had.bytes);
    lever.flag = flag_of(to);
    lever.code = code_of(to);
    lever.why = when_it_counts();
    lever.pays_from = 2;
    if (cache.share < 0.995) lever.why += ", for " + percent(cache.share, 0) + " of the samples";
    if (cache.keep == Cache::decoded)
      lever.why += "; not with fit random or patch, a random flip or a transform";
    return &lever;
  }

  /// Only if the tiles pay, within the training and beside the same cache without them.
  void add_tiled_cache(const CacheAdvice& cache) {
    const auto at_once = std::min(now_.setting.workers, search_.work().cores);
    const auto pays =
        tiles_pay_from(cache, search_.work().slowdown * *options_.decodes.tile_s, at_once);
    const auto& tiled = *cache.tiled;
    if (!pays || *pays > options_.epochs || !is_worth_it(tiled) ||
        tiled.samples_per_s < (1 + least_gain) * cache.to.samples_per_s)
      return;
    if (auto* const lever = add_cache(cache, tiled, proposed_tiles)) {
      lever->pays_from = *pays;
      lever->why += format(
          "; the tiles take %s of CPU time for each file once, which pays from epoch %llu on",
          milliseconds(*options_.decodes.tile_s).c_str(), static_cast<unsigned long long>(*pays));
    }
  }

  /// When a cache has an effect.
  std::string when_it_counts() const {
    const auto kind = interval_.plan.order.kind;
    const auto world = interval_.plan.ranks.world;
    if (source::repeats(kind)) return "It counts when a sample comes again";
    if (world == 1 || source::is_fixed(kind)) return "It counts from the second epoch on";
    // A sample that a rank keeps comes to any rank. In the second epoch it comes to this one with a
    // probability of 1 / world, and the rank keeps no more than it has drawn.
    return format(
        "It fills over several epochs: with a shuffled order, each of %u ranks draws other samples "
        "in each epoch",
        world);
  }

  /// Twice the budget, with the best settings within it.
  void add_budget() {
    const auto budget = search_.budget().value_or(unlimited);
    if (budget > unlimited / 2) return;
    auto larger = interval_;
    auto options = options_;
    larger.plan.budget_bytes.reset();  // a plan within another budget has its own max_sample_bytes
    options.budget_bytes = 2 * budget;
    Search search(larger, options);
    const auto to = search.smallest(search.ceiling());
    const auto& within = advice_.recommended;
    if (to.samples_per_s < (1 + least_gain) * within.samples_per_s &&
        to.data_readiness < within.data_readiness + least_gain)
      return;
    auto& lever = add(Change::budget, byte_text(budget), byte_text(2 * budget), to);
    const auto changed = flags_of(to.setting, &now_.setting);
    lever.flag =
        "--memory-budget " + byte_text(2 * budget) + (changed.empty() ? "" : " " + changed);
    lever.code = code_of_budget(plan_, 2 * budget) + code_of(to.setting, &now_.setting);
    lever.why = "With the settings that it allows";
  }

  /// All CPUs that the workers wanted.
  void add_cpus(const CpuShare& cpu) {
    auto work = search_.work();
    work.decode_s *= *cpu.had / *cpu.wanted;
    work.read_cpu_s *= *cpu.had / *cpu.wanted;
    work.cpu = {};
    const auto result = predict(plan_, work, interval_.encoded_bytes);
    if (!is_worth_it(result)) return;
    auto& lever = add(Change::cpu, cpus_text(*cpu.had), cpus_text(*cpu.wanted), result);
    lever.title = "CPUs for the workers, " + lever.from + " → " + lever.to;
    lever.why = cpu_reason(interval_).remedy;
  }

  /// The interval's setting with other times.
  Prediction with_times(double decode, double read, double consumer, double device = 1) const {
    auto work = search_.work();
    work.device_s *= device;
    work.decode_s *= decode;
    work.read_wait_s *= read;
    if (work.slowdown == 1) work.read_cpu_s *= read;  // faster storage gives no CPU
    work.consumer_s *= consumer;
    return predict(plan_, work, interval_.encoded_bytes);
  }

  /// What lies outside of the settings of the loader, and decodes of another kind.
  void add_supposed() {
    const auto& work = search_.work();
    const auto& options = plan_.origin->options;
    if (const auto cpu = cpu_share(interval_); cpu.lacking) add_cpus(cpu);
    const auto suppose = [&](Change change, const char* name, double now_s, const char* unit,
                             const Prediction& result, const char* why) {
      if (!is_worth_it(result)) return false;
      auto& lever = add(change, milliseconds(now_s) + unit, milliseconds(now_s / 2) + unit, result);
      lever.title = concat(name, " ", lever.from, " → ", lever.to);
      lever.why = why;
      return true;
    };
    suppose(Change::trainer, "your trainer,", work.consumer_s, " a batch", with_times(1, 1, half),
            "No setting of the loader replaces it");
    suppose(Change::storage, "faster storage,", work.read_wait_s + work.read_cpu_s, " a read",
            with_times(1, half, 1), "Fewer and larger files help, too");
    const bool decode_matters = suppose(Change::data, "cheaper data,", work.decode_s, " a decode",
                                        with_times(half, 1, 1), smaller_images().c_str());
    if (options.decode == Decode::exact)
      add_decode(Change::decode,
                 {"exact", "fast", "--decode fast", "options.decode = weir::Decode::fast;\n"},
                 options_.decodes.fast, decode_matters,
                 "Large JPEGs are decoded at 1/2, 1/4 or 1/8 of their size");
    if (interval_.plan.filter == Filter::antialiased)
      add_decode(Change::filter,
                 {"antialiased", "bilinear", "--filter bilinear",
                  "options.filter = weir::Filter::bilinear;\n"},
                 options_.decodes.bilinear, decode_matters, "Smaller images then lose detail");
    if (options_.decodes.tiles)
      add_decode(
          Change::tiles, {"none", "16 a row", "", ""}, options_.decodes.tiles, decode_matters,
          concat("The same pixels, by weir pack DATA OUT --keep --tiles 16", with_options_of_data)
              .c_str());
  }

  /// A pack has only what its command names.
  static constexpr auto with_options_of_data =
      ", with the options that name your labels, planes and annotations";

  /// What makes the data cheaper.
  std::string smaller_images() const {
    if (plan_.origin->options.fit == Fit::patch)
      return "Store the images in files that cost less to decode; fewer pixels change the patches";
    const auto what = "Store the images with fewer pixels, closer to the size that is requested";
    const auto pixels = interval_.plan.pixels;
    // A pack makes JPEGs, which have 8 bits, no alpha and no values as the file has them.
    const bool as_jpeg = value_bytes(pixels) == 1 && channels_of(pixels) < 4 && !is_stored(pixels);
    if (interval_.plan.sizes.mode != Sizes::fixed || !as_jpeg) return what;
    return format("%s: weir pack DATA OUT --short-side %u%s", what, interval_.plan.short_side,
                  with_options_of_data);
  }

  /// The interval's setting with so many leases. Empty if the budget has no room for them.
  std::optional<Prediction> with_leases(std::uint32_t leases) const {
    auto origin =
        origin_with(interval_.plan, setting_of(interval_.plan), interval_.plan.budget_bytes);
    origin.options.queue.max_leases = leases;
    try {
      const auto plan = plan::resolve(origin.options, origin.given);
      if (plan.max_queue_size < now_.setting.max_queue_size) return std::nullopt;
      return predict(plan, search_.work(), interval_.encoded_bytes);
    } catch (const Error& error) {
      if (error.code() != Errc::budget_too_small && error.code() != Errc::bad_options) throw;
      return std::nullopt;
    }
  }

  /// What shortens or hides a device's reads.
  void add_copies() {
    if (search_.work().device_s <= 0 || now_.verdict.device_wait < least_gain) return;
    constexpr std::uint32_t most_more = 3;
    const auto had = interval_.plan.max_leases;
    std::optional<Prediction> best;
    std::uint32_t leases = had;
    for (auto more = had + 1; more <= had + most_more; ++more) {
      const auto result = with_leases(more);
      if (!result || (best && gain(*result) < (1 + least_gain / 2) * gain(*best))) continue;
      best = result;
      leases = more;
    }
    if (best && is_worth_it(*best)) {
      auto& lever = add(Change::max_leases, std::to_string(had), std::to_string(leases), *best);
      lever.code = "options.queue.max_leases = " + lever.to + ";\n";
      lever.why = "Then the consumer goes on while the device still reads";
    }
    const auto device_s = search_.work().device_s;
    const auto faster = with_times(1, 1, 1, half);
    if (!is_worth_it(faster)) return;
    auto& lever = add(Change::copy, milliseconds(device_s) + " a batch",
                      milliseconds(device_s / 2) + " a batch", faster);
    lever.title = "faster copies, " + lever.from + " → " + lever.to;
    lever.why =
        "Earlier work in the stream of a copy counts, too; give the copies a stream of their own";
    if (interval_.plan.pinned.slab_bytes > 0) return;
    auto& pinned = add(Change::pinned, "pages", "pinned", now_);
    pinned.title = "slab memory pages → pinned";
    pinned.flag = "--slab-memory pinned";
    pinned.code = "options.memory.upstream = std::make_shared<weir::PinnedMemory>();\n";
    pinned.why = "A device copies faster from page-locked slabs";
    pinned.basis = Basis::unknown;
    pinned.gain.reset();
    pinned.result = {};
  }

  struct Words {
    const char *from, *to, *flag, *code;
  };
  /// `times`: the decode time after the change, as a multiple of the time now.
  void add_decode(Change change, const Words& words, std::optional<double> times,
                  bool decode_matters, const char* why) {
    if (!times && !decode_matters) return;
    const auto result = times ? with_times(*times, 1, 1) : Prediction{};
    if (times && !is_worth_it(result)) return;
    auto& lever = add(change, words.from, words.to, times ? result : now_);
    lever.flag = words.flag;
    lever.code = words.code;
    lever.why = why;
    if (times) {
      const auto decode_s = search_.work().decode_s;
      lever.why += "; measured: " + milliseconds(decode_s * *times) + " a decode instead of " +
                   milliseconds(decode_s);
    } else {
      lever.basis = Basis::unknown;
      lever.gain.reset();
      lever.result = {};
    }
  }

  const Interval& interval_;
  const AdviceOptions& options_;
  Search& search_;
  const Advice& advice_;
  const Prediction& now_;
  const Plan plan_;
  std::vector<Lever> levers_;
};

}  // namespace

std::vector<Lever> levers(const Interval& interval, const AdviceOptions& options, Search& search,
                          const Advice& advice) {
  return Levers(interval, options, search, advice).ranked();
}

}  // namespace weir::advice
