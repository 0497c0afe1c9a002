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
#include "report/bytes.hpp"
#include "report/fields.hpp"
#include "report/stats_text.hpp"
#include "report/table.hpp"
#include "report/text.hpp"

namespace weir::report {
namespace {

constexpr std::size_t least_runs = 3;
constexpr double least_difference = 0.02;

struct Depth {
  std::uint64_t max_queue_size = 0;
  std::vector<double> paces{};  ///< samples/s of each run, sorted
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
    found[runs[i]["plan"]["max_queue_size_requested"]].push_back(i);
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
    depth.typical = *std::ranges::min_element(
        indices, {}, [&](std::size_t i) { return std::abs(pace(runs[i]) - depth.median); });
  }
  return depths;
}

bool is_slower(const Depth& depth, const Depth& fastest) {
  return depth.paces.back() < fastest.paces.front() &&
         depth.median < (1 - least_difference) * fastest.median;
}

std::string pace_text(const Depth& depth) {
  return fmt::format("{:.1f} samples/s ({:.1f} to {:.1f})", depth.median, depth.paces.front(),
                     depth.paces.back());
}

std::string concluded(std::span<const Depth> depths, const Depth& enough, const Depth& fastest) {
  if (depths.size() == 1)
    return fmt::format("max_queue_size {} runs at {}.", enough.max_queue_size, pace_text(enough));
  const auto slower =
      std::ranges::count_if(depths, [&](const Depth& depth) { return is_slower(depth, fastest); });
  if (slower == 0) {
    double least = enough.paces.front(), most = enough.paces.back();
    for (const auto& depth : depths) {
      least = std::min(least, depth.paces.front());
      most = std::max(most, depth.paces.back());
    }
    return fmt::format(
        "No difference beyond noise: every depth runs at {:.1f} to {:.1f} samples/s, and "
        "max_queue_size {} takes the fewest bytes.",
        least, most, enough.max_queue_size);
  }
  auto text =
      fmt::format("max_queue_size {} is enough: {}.", enough.max_queue_size, pace_text(enough));
  if (&enough != &depths.back()) text += " No deeper queue is faster beyond noise.";
  if (&enough != &depths.front())
    text += fmt::format(" max_queue_size {} is slower: {}.", (&enough - 1)->max_queue_size,
                        pace_text(*(&enough - 1)));
  return text;
}

std::string tenths(double figure) { return fmt::format("{:.1f}", figure); }
std::string signed_percent(double share) { return fmt::format("{:+.1f} %", 100 * share); }

/// Peak staging: predicted, measured and maximum.
std::string peaks_text(const std::vector<Json>& runs) {
  Table table("queue|MiB of slabs: limit|peak: predicted|measured|off", 0);
  for (const auto& run : runs) {
    const auto& predicted = run["predicted"];
    if (!predicted["peak_staging_bytes"].is_number() || predicted["peak_staging_bytes"] == 0)
      continue;
    table.add({grouped(run["plan"]["max_queue_size_requested"]),
               mib_figure(predicted["staging_bytes"]), mib_figure(predicted["peak_staging_bytes"]),
               mib_figure(run["memory"]["staging"]),
               signed_percent(run["predicted_off"]["peak_staging_bytes"])});
  }
  return table.empty() ? "" : '\n' + table.text();
}

/// Throughput, readiness and waits: predicted and measured.
std::string predicted_text(const std::vector<Json>& runs) {
  Table table(
      "queue|samples/s predicted|measured|off|ready predicted|measured|waited predicted|measured",
      0);
  for (const auto& run : runs) {
    const auto &predicted = run["predicted"], &throughput = run["throughput"];
    if (!predicted["samples_per_s"].is_number()) continue;
    const double seconds = throughput["seconds"], waited = run["queue"]["consumer_wait_s"];
    table.add({grouped(run["plan"]["max_queue_size_requested"]), tenths(predicted["samples_per_s"]),
               tenths(throughput["samples_per_s"]),
               signed_percent(run["predicted_off"]["samples_per_s"]),
               percent(predicted["data_readiness"]), percent(run["queue"]["data_readiness"]),
               percent(predicted["consumer_wait"]), percent(seconds > 0 ? waited / seconds : 0)});
  }
  if (table.empty()) return "";
  return "\nPredicted beside measured\n" + table.text() + peaks_text(runs) +
         "predicted: from one short run before, for a long run\n";
}

/// The bytes of a row by column, and the planes of all runs. Empty without planes.
std::string planes_of(const Json& runs) {
  std::vector<PlaneStats> planes;
  for (const auto& run : runs) {
    planes.resize(run["planes"].size());
    for (std::size_t i = 0; i < planes.size(); ++i) {
      const auto& plane = run["planes"][i];
      planes[i].name = plane["name"];
      for (const auto& field : plane_fields)
        planes[i].*field.value += plane[field.name].get<std::uint64_t>();
      planes[i].decode_s += plane["decode_s"].get<double>();
    }
  }
  if (planes.empty()) return "";
  std::string row = "A row:";
  for (const auto& column : runs[0]["plan"]["columns"])
    row +=
        fmt::format("{} {} {}", row.back() == ':' ? "" : ",",
                    column["name"].get_ref<const std::string&>(), human_bytes(column["row_bytes"]));
  return '\n' + indented(row, 0) + '\n' + planes_text(planes, {});
}

/// What all depths cost and bring: the typical run of each, and the spread of all runs.
std::string measured_text(const std::vector<Json>& runs, const Json& by_depth) {
  Table table("queue|limit|measured|float32|peak|RSS+|off|samples/s|least|most|runs|waited|ready",
              0);
  bool some_never_filled = false;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto& run = runs[i];
    const auto& depth = by_depth[i];
    const auto &memory = run["memory"], &predicted = run["predicted"], &queue = run["queue"];
    const auto& process = memory["process"];
    some_never_filled |= memory["staging"] < predicted["staging_bytes"];
    const auto growth =
        process["rss_peak"].get<std::int64_t>() - process["rss_before"].get<std::int64_t>();
    const auto signed_mebibytes = [](std::int64_t bytes) {
      return tenths(static_cast<double>(bytes) / static_cast<double>(1u << 20));
    };
    table.add({grouped(depth["max_queue_size"]), mib_figure(predicted["staging_bytes"]),
               mib_figure(memory["staging"]), mib_figure(predicted["float32_bytes"]),
               mib_figure(memory["peak"]), signed_mebibytes(growth),
               signed_mebibytes(growth - memory["peak"].get<std::int64_t>()),
               tenths(depth["samples_per_s"]), tenths(depth["least_samples_per_s"]),
               tenths(depth["most_samples_per_s"]), grouped(depth["runs"]),
               duration(queue["consumer_wait_s"]), percent(queue["data_readiness"])});
  }
  return "Memory in MiB and throughput, measured, by queue depth\n" + table.text() +
         "queue: max_queue_size; limit: MiB of the slab limit; measured: peak of all slabs;\n"
         "float32: the slab limit with float32 pixels; peak: peak of all accounts;\n"
         "RSS+: growth of the process; off: the difference;\n"
         "samples/s: median of the runs, least and most; the other figures are of the run closest "
         "to "
         "it;\n"
         "waited: the consumer, in next(); ready: data readiness\n" +
         (some_never_filled ? "measured below the limit: the queue was never full. weir allocates "
                              "only the slabs that "
                              "it needs.\n"
                            : "");
}

}  // namespace

Json sweep_summary(const Json& runs) {
  const auto depths = depths_of(runs);
  Json rows = Json::array(), conclusion = Json::object();
  if (depths.empty()) return {{"by_depth", rows}, {"conclusion", nullptr}};
  const auto& fastest = *std::ranges::max_element(depths, {}, &Depth::median);
  const auto& enough =
      *std::ranges::find_if(depths, [&](const Depth& depth) { return !is_slower(depth, fastest); });
  const bool failed =
      std::ranges::any_of(runs, [](const Json& run) { return run["error"].is_string(); });
  const bool repeated = std::ranges::all_of(
      depths, [](const Depth& depth) { return depth.paces.size() >= least_runs; });
  for (const auto& depth : depths)
    rows.push_back({{"max_queue_size", depth.max_queue_size},
                    {"runs", depth.paces.size()},
                    {"seconds", depth.seconds},
                    {"samples_per_s", depth.median},
                    {"least_samples_per_s", depth.paces.front()},
                    {"most_samples_per_s", depth.paces.back()},
                    {"slower", repeated ? Json(is_slower(depth, fastest)) : Json(nullptr)},
                    {"typical_run", depth.typical}});
  if (failed) return {{"by_depth", std::move(rows)}, {"conclusion", nullptr}};
  conclusion["max_queue_size"] = repeated ? Json(enough.max_queue_size) : Json(nullptr);
  conclusion["sentence"] =
      repeated
          ? concluded(depths, enough, fastest)
          : fmt::format("Fewer than {} runs of a depth show no noise, so there is no conclusion.",
                        least_runs);
  return {{"by_depth", std::move(rows)}, {"conclusion", std::move(conclusion)}};
}

std::string sweep_text(const Json& runs, const Json& summary) {
  const auto& by_depth = summary["by_depth"];
  std::vector<Json> typical;
  for (const auto& depth : by_depth)
    typical.push_back(runs[depth["typical_run"].get<std::size_t>()]);
  std::string errors;
  for (const auto& run : runs)
    if (run["error"].is_string())
      errors +=
          fmt::format("max_queue_size {}: {}\n", grouped(run["plan"]["max_queue_size_requested"]),
                      run["error"].get_ref<const std::string&>());
  return measured_text(typical, by_depth) + errors + predicted_text(typical) + planes_of(runs);
}

}  // namespace weir::report
