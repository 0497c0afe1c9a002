#include "report/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "report/advice.hpp"
#include "report/bytes.hpp"
#include "report/fields.hpp"
#include "report/stats_text.hpp"
#include "report/table.hpp"
#include "report/text.hpp"
#include "weir/advice.hpp"

namespace weir::report {
namespace {

constexpr std::size_t least_runs = 3, least_repeated = 10;
constexpr double least_difference = 0.02;
/// Runs that differ by more hide what a queue brings.
constexpr double most_spread = 1.2;

struct Depth {
  std::uint64_t max_queue_size = 0;
  std::vector<double> paces{};  ///< samples/s of each run, sorted
  // Without the slowest and the fastest quarter, so that repeating helps.
  double least = 0, most = 0;
  double seconds = 0;
  std::size_t typical = 0;  ///< index of the run closest to the median
  double median = 0;
};

std::vector<Depth> depths_of(const Json& runs) {
  const auto pace = [](const Json& run) {
    return run["throughput"]["samples_per_s"].get<double>();
  };
  std::map<std::uint64_t, std::vector<std::size_t>> found;
  for (std::size_t i = 0; i < runs.size(); ++i)
    found[runs[i]["plan"]["max_queue_size"]].push_back(i);
  std::vector<Depth> depths;
  for (const auto& [max_queue_size, indices] : found) {
    auto& depth = depths.emplace_back(Depth{max_queue_size});
    for (const auto i : indices) {
      depth.paces.push_back(pace(runs[i]));
      depth.seconds += runs[i]["throughput"]["seconds"].get<double>();
    }
    std::ranges::sort(depth.paces);
    const auto count = depth.paces.size();
    depth.median = (depth.paces[(count - 1) / 2] + depth.paces[count / 2]) / 2;
    depth.least = depth.paces[count / 4];
    depth.most = depth.paces[count - 1 - count / 4];
    depth.typical = *std::ranges::min_element(
        indices, {}, [&](std::size_t i) { return std::abs(pace(runs[i]) - depth.median); });
  }
  return depths;
}

bool is_slower(const Depth& depth, const Depth& fastest) {
  return depth.most < fastest.least && depth.median < (1 - least_difference) * fastest.median;
}

/// Most over least samples/s of all depths that are not slower than the fastest.
double spread_of(std::span<const Depth> depths, const Depth& fastest) {
  double least = fastest.least, most = fastest.most;
  for (const auto& depth : depths) {
    if (is_slower(depth, fastest)) continue;
    least = std::min(least, depth.least);
    most = std::max(most, depth.most);
  }
  return most / std::max(least, 1e-9);
}

std::string sentence_of(std::span<const Depth> depths, const Depth& enough) {
  if (depths.size() == 1)
    return fmt::format("max_queue_size {} runs at {:.1f} samples/s.", enough.max_queue_size,
                       enough.median);
  if (&enough != &depths.back())
    return fmt::format("max_queue_size {} is enough: no deeper queue is faster beyond noise.",
                       enough.max_queue_size);
  return fmt::format(
      "max_queue_size {} is the fastest: every smaller queue is slower, and a deeper one was not "
      "tried.",
      enough.max_queue_size);
}

/// Null if no batch was delivered.
std::string share_of(const Json& share) { return share.is_null() ? "-" : percent(share); }

std::string tenths(double figure) { return fmt::format("{:.1f}", figure); }

/// Throughput, readiness and waits: measured beside predicted.
std::string predicted_text(const std::vector<Json>& runs) {
  Table table("queue|samples/s|predicted|off|ready|predicted|waited|predicted", 0);
  for (const auto& run : runs) {
    const auto &predicted = run["predicted"], &throughput = run["throughput"];
    if (!predicted["samples_per_s"].is_number()) continue;
    const double seconds = throughput["seconds"], waited = run["queue"]["consumer_wait_s"];
    table.add({grouped(run["plan"]["max_queue_size"]), tenths(throughput["samples_per_s"]),
               tenths(predicted["samples_per_s"]),
               signed_percent(run["predicted_off"]["samples_per_s"]),
               share_of(run["queue"]["data_readiness"]), percent(predicted["data_readiness"]),
               percent(seconds > 0 ? waited / seconds : 0), percent(predicted["consumer_wait"])});
  }
  if (table.empty()) return "";
  return "\nMeasured beside predicted\n" + table.text() +
         "predicted: from one short run before, for a long run\n";
}

/// The bytes of a row by column, and the planes of all runs. Empty for rows of an image alone.
std::string planes_of(const Json& runs) {
  std::vector<PlaneStats> planes;
  for (const auto& run : runs) {
    planes.resize(run["planes"].size());
    for (std::size_t i = 0; i < planes.size(); ++i) {
      const auto& plane = run["planes"][i];
      planes[i].name = plane["name"];
      for (const auto& field : plane_fields)
        planes[i].*field.value += plane[field.name].get<std::uint64_t>();
      planes[i].decodes += plane["decodes"].get<std::uint64_t>();
      planes[i].decode_s += plane["decode_s"].get<double>();
    }
  }
  const auto& plan = runs[0]["plan"];
  if (planes.empty() && plan.value("annotation_bytes", 0u) == 0) return "";
  std::string row = "A row:";
  for (const auto& column : plan["columns"])
    row +=
        fmt::format("{} {} {}", row.back() == ':' ? "" : ",",
                    column["name"].get_ref<const std::string&>(), human_bytes(column["row_bytes"]));
  return '\n' + row + '\n' + (planes.empty() ? "" : '\n' + planes_text(planes, {}));
}

/// What all depths bring: the spread of all runs, and the mark of the decision.
std::string paces_text(const Json& by_depth) {
  Table table("queue|samples/s|least|most|runs|<", 0);
  for (const auto& depth : by_depth)
    table.add({grouped(depth["max_queue_size"]), tenths(depth["samples_per_s"]),
               tenths(depth["least_samples_per_s"]), tenths(depth["most_samples_per_s"]),
               grouped(depth["runs"]),
               depth["mark"].is_null() ? "" : "<- " + depth["mark"].get<std::string>()});
  return "Throughput, measured, by queue depth\n" + table.text() +
         "samples/s, the median; least, most: of four or more, without the slowest and the fastest "
         "quarter\n";
}

/// What all depths draw before it is used: the typical run of each.
std::string samples_of(const std::vector<Json>& runs) {
  const auto plan = runs.empty() ? Json::object() : runs.front()["plan"];
  const auto partners = plan.value("partners", 0u);
  Table table(partners > 0 ? "queue|drawn|consumed|never used|partners|waited|ready"
                           : "queue|drawn|consumed|never used|waited|ready",
              0);
  for (const auto& run : runs) {
    const auto &samples = run["samples"], &queue = run["queue"];
    std::vector<std::string> cells{grouped(run["plan"]["max_queue_size"]),
                                   grouped(samples["drawn"]), grouped(samples["consumed"]),
                                   grouped(samples["unused"])};
    if (partners > 0) cells.push_back(grouped(samples["partners"]));
    cells.push_back(duration(queue["consumer_wait_s"]));
    cells.push_back(share_of(queue["data_readiness"]));
    table.add(std::move(cells));
  }
  const auto rows = fmt::format(
      "drawn, consumed: rows of {} samples; partners: the others of these\n", partners + 1);
  return (partners > 0 ? "\nRows and waits, of the run closest to the median\n"
                       : "\nSamples and waits, of the run closest to the median\n") +
         table.text() + (partners > 0 ? rows : "") +
         rates_note(partners, plan.value("counted", "samples")) +
         "never used: drawn ahead, when the run stopped; waited: in next()\n";
}

/// Which depth ran with less. Empty if none did.
std::string depths_text(const std::vector<Json>& runs) {
  for (const auto& run : runs) {
    const auto& plan = run["plan"];
    const std::uint64_t depth = plan["max_queue_size"], slab = plan["slab_bytes"];
    if (depth >= plan["max_queue_size_requested"]) continue;
    const auto& bytes = plan["max_queue_bytes"];
    const bool by_bytes = bytes.is_number() && bytes.get<std::uint64_t>() / slab <= depth;
    return fmt::format("`{}` allows max_queue_size {}, not {}.\n",
                       by_bytes ? "queue.max_bytes" : "memory.budget_bytes", grouped(depth),
                       grouped(plan["max_queue_size_requested"]));
  }
  return "";
}

/// What was delivered: a digest of all runs, or those that differ.
std::string digests_text(const Json& runs) {
  std::map<std::string, std::string> found;  // the first run of each
  for (const auto& run : runs)
    if (run["digest"].is_string())
      found.emplace(run["digest"], grouped(run["plan"]["max_queue_size"]));
  std::string text;
  for (const auto& [digest, depth] : found)
    text += found.size() == 1 ? fmt::format("\nDigest {}\n", digest)
                              : fmt::format("\nDigest of max_queue_size {}: {}\n", depth, digest);
  return text;
}

/// What all depths cost: the typical run of each.
std::string memory_of(const std::vector<Json>& runs) {
  const auto has = [&](const char* figure) {
    return std::ranges::any_of(
        runs, [&](const Json& run) { return run["predicted"][figure].is_number(); });
  };
  // A demo predicts nothing. Encoded and stored values are not converted.
  const bool predicts = has("peak_staging_bytes"), converts = has("float32_bytes");
  Table table(fmt::format("queue|limit{}|measured{}|peak|RSS|off", predicts ? "|predicted" : "",
                          converts ? "|float32" : ""),
              0);
  const auto mib = [](const Json& bytes) { return bytes.is_null() ? "-" : mib_figure(bytes); };
  bool never_filled = false;
  for (const auto& run : runs) {
    const auto &memory = run["memory"], &predicted = run["predicted"], &process = memory["process"];
    never_filled |= memory["staging"] < predicted["staging_bytes"];
    const auto growth =
        process["rss_peak"].get<std::int64_t>() - process["rss_before"].get<std::int64_t>();
    std::vector<std::string> cells{grouped(run["plan"]["max_queue_size"]),
                                   mib(predicted["staging_bytes"])};
    if (predicts) cells.push_back(mib(predicted["peak_staging_bytes"]));
    cells.push_back(mib(memory["staging"]));
    if (converts) cells.push_back(mib(predicted["float32_bytes"]));
    cells.insert(cells.end(), {mib(memory["peak"]), mib_difference(growth),
                               mib_difference(growth - memory["peak"].get<std::int64_t>())});
    table.add(std::move(cells));
  }
  return "\nMemory in MiB, of the run closest to the median\n" + table.text() +
         "limit: all slabs; " + (predicts ? "predicted, " : "") + "measured: their peak; " +
         (converts ? "float32: the limit with such pixels; " : "") +
         "peak: of all accounts; RSS: its growth; off: the difference\n" +
         (never_filled ? "measured below the limit: weir allocates only the slabs that it needs.\n"
                       : "");
}

}  // namespace

Json sweep_summary(const Json& runs) {
  const auto depths = depths_of(runs);
  Json rows = Json::array();
  if (depths.empty()) return {{"by_depth", rows}, {"conclusion", nullptr}};
  const auto& fastest = *std::ranges::max_element(depths, {}, &Depth::median);
  const auto& enough =
      *std::ranges::find_if(depths, [&](const Depth& depth) { return !is_slower(depth, fastest); });
  const bool failed =
      std::ranges::any_of(runs, [](const Json& run) { return run["error"].is_string(); });
  std::size_t fewest = runs.size();
  for (const auto& depth : depths) fewest = std::min(fewest, depth.paces.size());
  const double spread = spread_of(depths, fastest);
  const bool repeated = fewest >= least_runs, noisy = repeated && spread > most_spread;
  const bool decided = repeated && !noisy && !failed;
  for (const auto& depth : depths) {
    const bool slower = is_slower(depth, fastest);
    const auto mark = slower ? fmt::format("slower than {}", fastest.max_queue_size)
                      : &depth != &enough || depths.size() == 1 ? std::string()
                      : &depth == &depths.back()                ? "fastest"
                                                                : "enough";
    rows.push_back({{"max_queue_size", depth.max_queue_size},
                    {"runs", depth.paces.size()},
                    {"seconds", depth.seconds},
                    {"samples_per_s", depth.median},
                    {"least_samples_per_s", depth.least},
                    {"most_samples_per_s", depth.most},
                    {"slower", decided ? Json(slower) : Json(nullptr)},
                    {"mark", decided ? text_or_null(mark) : Json(nullptr)},
                    {"typical_run", depth.typical}});
  }
  if (failed) return {{"by_depth", std::move(rows)}, {"conclusion", nullptr}};
  const auto rounds = std::max(least_repeated, 2 * fewest);
  const auto sentence =
      decided ? sentence_of(depths, enough)
      : noisy
          ? fmt::format("Too noisy to tell (spread {:.1f} ×): repeat with --rounds {}.", spread,
                        rounds)
          : fmt::format("Fewer than {} runs of a depth show no noise, so there is no conclusion.",
                        least_runs);
  return {{"by_depth", std::move(rows)},
          {"conclusion",
           {{"max_queue_size", decided ? Json(enough.max_queue_size) : Json(nullptr)},
            {"spread", repeated ? Json(spread) : Json(nullptr)},
            {"rounds", noisy ? Json(rounds) : Json(nullptr)},
            {"sentence", sentence}}}};
}

std::string sweep_text(const Json& runs, const Json& summary) {
  const auto& by_depth = summary["by_depth"];
  std::vector<Json> typical;
  for (const auto& depth : by_depth)
    typical.push_back(runs[depth["typical_run"].get<std::size_t>()]);
  std::string errors;
  for (const auto& run : runs)
    if (run["error"].is_string())
      errors += fmt::format("max_queue_size {}: {}\n", grouped(run["plan"]["max_queue_size"]),
                            run["error"].get_ref<const std::string&>());
  return paces_text(by_depth) + depths_text(typical) + samples_of(typical) + memory_of(typical) +
         errors + predicted_text(typical) + planes_of(runs) + digests_text(runs);
}

void put_prediction(Json& run, const Interval& interval) {
  auto setting = setting_of(interval.plan);
  setting.max_queue_size = run["plan"]["max_queue_size"];
  setting.read_ahead = run["plan"]["read_ahead"];
  const auto prediction = predict(interval, setting);
  auto& predicted = run["predicted"];
  predicted["samples_per_s"] = prediction.samples_per_s;
  predicted["data_readiness"] = prediction.data_readiness;
  predicted["consumer_wait"] = prediction.consumer_wait;
  predicted["peak_staging_bytes"] = prediction.peak_staging_bytes;
  const double measured = run["throughput"]["samples_per_s"],
               seconds = run["throughput"]["seconds"];
  const auto& queue = run["queue"];
  const double waited = queue["consumer_wait_s"];
  const bool delivered = queue["data_readiness"].is_number();
  run["predicted_off"] = {
      {"samples_per_s", measured / prediction.samples_per_s - 1},
      {"data_readiness",
       delivered ? Json(queue["data_readiness"].get<double>() - prediction.data_readiness)
                 : Json()},
      {"consumer_wait", (seconds > 0 ? waited / seconds : 0) - prediction.consumer_wait},
      {"peak_staging_bytes",
       run["memory"]["staging"].get<double>() / static_cast<double>(prediction.peak_staging_bytes) -
           1}};
}

bool put_limit(Json& json, const Interval& interval) {
  constexpr double rounding = 1.02, noise = 1.2;
  auto setting = setting_of(interval.plan);
  setting.max_queue_size = std::max(setting.max_queue_size, AdviceOptions{}.most_queue);
  const auto limit = predict(interval, setting);
  double most = 0;
  for (const auto& depth : json["by_depth"])
    most = std::max(most, depth["samples_per_s"].get<double>());
  if (most <= rounding * limit.samples_per_s) json["limit"] = to_json(limit);
  return most <= noise * limit.samples_per_s;
}

}  // namespace weir::report
