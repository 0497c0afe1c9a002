#include "findings/pack.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/sanitize.hpp"
#include "report/bytes.hpp"
#include "report/stats_text.hpp"
#include "report/text.hpp"

namespace weir::findings {
namespace {

/// How many images have how many tiles, the most frequent first, and what that costs.
std::string tiles_text(const pack::Packed& packed) {
  using report::human_bytes, report::plural;
  pack::TiledImages all;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> counts;
  for (const auto& [tiles, some] : packed.tiled) {
    if (tiles == 0) continue;
    counts.emplace_back(tiles, some.images);
    all.images += some.images;
    all.bytes_before += some.bytes_before;
    all.bytes += some.bytes;
  }
  std::ranges::stable_sort(counts, std::greater{}, &decltype(counts)::value_type::second);
  std::string text;
  if (all.images > 0)
    text += report::entry(
        "tiles", "{}: {} became {} ({})", plural(all.images, "JPEG"), human_bytes(all.bytes_before),
        human_bytes(all.bytes),
        report::signed_percent(
            static_cast<double>(all.bytes) / static_cast<double>(all.bytes_before) - 1));
  for (const auto& [tiles, images] : counts)
    text += report::entry(fmt::format("  {} a row", tiles), "{}", plural(images, "JPEG"));
  if (const auto none = packed.tiled.find(0); none != packed.tiled.end())
    text += report::entry("without tiles", "{}", plural(none->second.images, "image"));
  return text;
}

report::Json json_of_tiles(const pack::Packed& packed) {
  auto json = report::Json::array();
  for (const auto& [tiles, some] : packed.tiled)
    json.push_back({{"tiles", tiles},
                    {"images", some.images},
                    {"bytes_before", some.bytes_before},
                    {"bytes", some.bytes}});
  return json;
}

}  // namespace

report::Json to_json(const pack::Packed& packed, const std::string& out, const std::string& data) {
  auto json = report::envelope("pack");
  report::put_faults(json, packed.faults, packed.fault_count);
  json["data"] = data;
  json["interrupted"] = packed.stopped;
  json["pack"] = {{"out", out},
                  {"samples", packed.samples},
                  {"shards", packed.shards},
                  {"kept_shards", packed.kept_shards},
                  {"kept_files", packed.kept_files},
                  {"narrowed", packed.narrowed},
                  {"unfit_annotations", packed.unfit},
                  {"tiles", json_of_tiles(packed)},
                  {"source_bytes", packed.source_bytes},
                  {"stored_bytes", packed.stored_bytes},
                  {"shard_bytes", packed.shard_bytes},
                  {"peak_bytes", packed.memory.peak},
                  {"live_bytes", packed.memory.live}};
  return json;
}

std::string to_text(const pack::Packed& packed, const std::string& out) {
  using report::grouped, report::human_bytes, report::plural;
  const auto folder = sanitize(out);
  auto text = packed.stopped ? fmt::format("Interrupted. Run the same command again to go on.\n")
              : packed.shards == 0
                  ? fmt::format("{}: {}\n", folder, plural(packed.samples, "file"))
                  : fmt::format("{}: {} in {}, {}\n", folder, plural(packed.samples, "sample"),
                                plural(packed.shards, "shard"), human_bytes(packed.shard_bytes));
  if (packed.kept_files > 0)
    text += report::entry("kept", "{} of an earlier run", plural(packed.kept_files, "file"));
  if (packed.kept_shards > 0)
    text += report::entry("kept", "{} of an earlier run", plural(packed.kept_shards, "shard"));
  if (packed.source_bytes > 0)
    text += report::entry("images", "{} became {}", human_bytes(packed.source_bytes),
                          human_bytes(packed.stored_bytes));
  if (packed.narrowed > 0)
    text += report::entry("8-bit JPEGs", "{} had more bits or alpha; --keep stores all",
                          plural(packed.narrowed, "image"));
  if (packed.unfit > 0)
    text += report::entry("annotations", "{} became smaller, boxes in pixels did not; use --keep",
                          plural(packed.unfit, "image"));
  text += tiles_text(packed);
  text += report::entry("peak", "{}{}", human_bytes(packed.memory.peak),
                        packed.memory.budget ? " of " + human_bytes(*packed.memory.budget) : "");
  if (packed.fault_count == 0) return text;
  return text + '\n' + report::faults_text(packed.faults, packed.fault_count, packed.faults.size());
}

}  // namespace weir::findings
