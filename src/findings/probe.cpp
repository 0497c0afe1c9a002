#include "findings/probe.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/sanitize.hpp"
#include "base/text.hpp"
#include "report/bytes.hpp"
#include "report/stats_text.hpp"
#include "report/text.hpp"

namespace weir::findings {
namespace {

const char* verdict(const ProbedImage& image) { return image.damaged ? "damaged" : "ok"; }

report::Json to_json(const ProbedRange& range) {
  return {{"least", range.least}, {"most", range.most}};
}

void put_file(report::Json& json, const ProbedFile& file) {
  json["format"] = file.format;
  json["width"] = file.width;
  json["height"] = file.height;
  json["bits"] = file.bits.value_or(0);
  json["colour"] = file.colour;
  json["alpha"] = file.alpha;
  json["palette"] = file.palette;
  json["tiles"] = file.tiles;
  json["drops"] = file.drops;
}

report::Json to_json(const ProbedImage& image, const std::vector<PlaneOptions>& planes) {
  report::Json json{{"path", image.name}};
  json["verdict"] = image.fault ? to_string(image.fault->kind) : verdict(image);
  if (image.fault) return json;
  put_file(json, image);
  json["planes"] = report::Json::array();
  for (std::size_t i = 0; i < planes.size(); ++i) {
    const auto& plane = image.planes[i];
    auto& one = json["planes"].emplace_back(
        report::Json{{"name", planes[i].name}, {"status", to_string(plane.status)}});
    if (!plane.format.empty()) put_file(one, plane);
  }
  return json;
}

/// "(png, 333x500, palette of 8 bits, drops alpha)".
std::string to_text(const ProbedFile& file) {
  auto out =
      fmt::format(" ({}, {}x{}, {}", file.format, file.width, file.height, pixels_text(file));
  for (std::size_t i = 0; i < file.drops.size(); ++i)
    out += fmt::format("{}{}", i == 0 ? ", drops " : " and ", file.drops[i]);
  return out + ')';
}

std::string to_text(const ProbedImage& image, const std::vector<PlaneOptions>& planes) {
  if (image.fault) return report::fault_text(*image.fault) + '\n';
  auto out = fmt::format("{}: {}{}", image.name, verdict(image),
                         to_text(static_cast<const ProbedFile&>(image)));
  for (std::size_t i = 0; i < planes.size(); ++i) {
    const auto& plane = image.planes[i];
    out += fmt::format("; {} {}{}", planes[i].name, to_string(plane.status),
                       plane.format.empty() ? "" : to_text(plane));
  }
  return out + '\n';
}

std::map<std::string_view, std::uint64_t> kinds(const std::vector<Fault>& faults) {
  std::map<std::string_view, std::uint64_t> counts;
  for (const auto& fault : faults) ++counts[to_string(fault.kind)];
  return counts;
}

std::string counted(const auto& counts) {
  return joined(counts, ", ", [](const auto& each) {
    return fmt::format("{} {}", report::grouped(each.second), each.first);
  });
}

/// "alpha of 6 files", or "nothing".
std::string drops_text(const ProbedKinds& kinds) {
  if (kinds.drops.empty()) return "nothing";
  return joined(kinds.drops, ", ", [](const auto& drop) {
    return fmt::format("{} of {}", drop.first, report::plural(drop.second, "file"));
  });
}

/// The counts of planes, and what their files hold.
std::string planes_text(const ProbeReport& found, const std::vector<PlaneOptions>& planes) {
  if (planes.empty()) return "";
  auto out = '\n' + report::planes_text(found.planes, found.broken);
  for (std::size_t i = 0; i < planes.size(); ++i)
    if (const auto& kinds = found.plane_kinds[i]; !kinds.pixels.empty())
      out += fmt::format("  {} files: {}; {} drops {}\n", planes[i].name, counted(kinds.pixels),
                         to_string(planes[i].pixels), drops_text(kinds));
  return out;
}

/// What an interrupt left undone. Empty without one.
std::string interrupted_text(const ProbeFindings& findings, const std::string& list_bad) {
  if (!findings.interrupted) return "";
  return fmt::format("Interrupted: {} of {} were examined{}.\n",
                     report::grouped(findings.report.samples), report::plural(findings.all, "file"),
                     list_bad.empty() ? "" : ", so " + sanitize(list_bad) + " is not complete");
}

}  // namespace

report::Json to_json(const ProbeFindings& findings, const Options& options) {
  const auto& found = findings.report;
  auto unreached = report::Json::array(), without_image = report::Json::array();
  for (const auto& [path, reason] : findings.notes.unreached)
    unreached.push_back({{"path", sanitize(path)}, {"reason", reason}});
  for (const auto& [name, offset] : findings.notes.without_image)
    without_image.push_back({{"path", sanitize(name)}, {"offset", offset}});
  auto json = report::envelope("probe");
  report::put_faults(json, found.faults, found.faults.size());
  json["planes"] = report::planes_json(found.planes);
  for (std::size_t i = 0; i < found.plane_kinds.size(); ++i) {
    json["planes"][i]["pixels"] = found.plane_kinds[i].pixels;
    json["planes"][i]["drops"] = found.plane_kinds[i].drops;
  }
  for (const auto& fault : found.broken) json["faults"].push_back(report::fault_json(fault));
  json["interrupted"] = findings.interrupted;
  json["probe"] = {{"files", found.samples},
                   {"sound", found.sound},
                   {"damaged", found.damaged},
                   {"bad", found.faults.size()},
                   {"skipped", findings.skipped},
                   {"unreached", std::move(unreached)},
                   {"without_image", std::move(without_image)},
                   {"kinds", kinds(found.faults)},
                   {"formats", found.formats},
                   {"tiled", found.tiled},
                   {"pixels", found.kinds.pixels},
                   {"drops", found.kinds.drops},
                   {"width", to_json(found.width)},
                   {"height", to_json(found.height)},
                   {"encoded_bytes", to_json(found.encoded_bytes)},
                   {"worst_scratch_bytes", found.worst_scratch.scratch_bytes},
                   {"worst_scratch_path", found.worst_scratch.name}};
  if (!findings.each) return json;
  auto& each = json["probe"]["each"] = report::Json::array();
  for (const auto& image : *findings.each) each.push_back(to_json(image, options.planes));
  return json;
}

std::string to_text(const ProbeFindings& findings, const Options& options,
                    const std::string& list_bad) {
  using report::grouped, report::human_bytes;
  const auto& found = findings.report;
  auto out = interrupted_text(findings, list_bad);
  if (findings.each) {
    for (const auto& image : *findings.each) out += to_text(image, options.planes);
    out += '\n';
  }
  out += fmt::format("{}: {} decode{}, {} do not{}\n", report::plural(found.samples, "file"),
                     grouped(found.sound),
                     found.damaged > 0 ? fmt::format(" ({} damaged)", grouped(found.damaged)) : "",
                     grouped(found.faults.size()),
                     found.faults.empty() ? "" : " (" + counted(kinds(found.faults)) + ")");
  if (found.sound > 0)
    out += report::entry("formats", "{}", counted(found.formats)) +
           report::entry("pixels", "{}", counted(found.kinds.pixels)) +
           report::entry(fmt::format("{} drops", to_string(options.pixels)), "{}",
                         drops_text(found.kinds)) +
           report::entry("width", "{} to {}", found.width.least, found.width.most) +
           report::entry("height", "{} to {}", found.height.least, found.height.most) +
           report::entry("encoded", "{} to {}", human_bytes(found.encoded_bytes.least),
                         human_bytes(found.encoded_bytes.most)) +
           report::entry("worst scratch", "{} ({})", human_bytes(found.worst_scratch.scratch_bytes),
                         found.worst_scratch.name);
  if (const auto jpegs = found.formats.find("jpeg"); jpegs != found.formats.end())
    out += report::entry("with tiles", "{} of {}", grouped(found.tiled),
                         report::plural(jpegs->second, "JPEG"));
  if (findings.skipped > 0) out += report::entry("skipped", "{}", grouped(findings.skipped));
  for (const auto& [name, offset] : findings.notes.without_image)
    out += report::entry("without image", "{}: its files begin at byte {}", sanitize(name), offset);
  for (const auto& [path, reason] : findings.notes.unreached)
    out += report::entry("not reached", "{}: {}", sanitize(path), reason);
  out += planes_text(found, options.planes);
  if (findings.each || found.faults.empty()) return out;
  return out + '\n' + report::faults_text(found.faults, found.faults.size(), found.faults.size());
}

}  // namespace weir::findings
