#include "findings/index.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>

#include "base/sanitize.hpp"
#include "report/bytes.hpp"
#include "report/stats_text.hpp"
#include "report/text.hpp"

namespace weir::findings {
namespace {

std::uint64_t bytes_of(const shards::Index& index) {
  std::uint64_t bytes = 0;
  for (const auto& shard : index.shards) bytes += shard.bytes;
  return bytes;
}

}  // namespace

report::Json to_json(const shards::Index& index, const shards::Scan& scan, const std::string& out) {
  auto left_out = report::Json::array();
  for (const auto& [name, offset] : scan.left_out)
    left_out.push_back({{"name", sanitize(name)}, {"offset", offset}});
  auto json = report::envelope("index");
  json["index"] = {{"path", sanitize_message(out, SIZE_MAX)},
                   {"shards", index.shards.size()},
                   {"samples", index.samples.size()},
                   {"bytes", bytes_of(index)},
                   {"skipped", index.skipped},
                   {"without_image", std::move(left_out)}};
  return json;
}

std::string to_text(const shards::Index& index, const shards::Scan& scan, const std::string& out) {
  std::uint64_t unknown = 0;
  for (const auto& sample : index.samples) unknown += sample.height == 0 ? 1 : 0;
  auto text = fmt::format("{} of {} in {}: {}\n", report::plural(index.samples.size(), "sample"),
                          report::human_bytes(bytes_of(index)),
                          report::plural(index.shards.size(), "shard"), sanitize(out, SIZE_MAX));
  if (unknown > 0)
    text += report::entry("without a size", "{}, turned by EXIF or not readable",
                          report::grouped(unknown));
  for (const auto& [name, offset] : scan.left_out)
    text +=
        report::entry("without image", "{}: its files begin at byte {}", sanitize(name), offset);
  return text;
}

}  // namespace weir::findings
