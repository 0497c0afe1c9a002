#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "base/sanitize.hpp"
#include "cli/commands.hpp"
#include "cli/data.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "report/bytes.hpp"
#include "report/json.hpp"
#include "report/stats_text.hpp"
#include "report/text.hpp"
#include "source/name_list.hpp"
#include "weir/probe.hpp"

namespace weir::cli {
namespace {

/// How many files of an image or a plane hold such pixels, and how many rows lack what.
struct Kinds {
  std::map<std::string, std::uint64_t> pixels, drops;
};

struct Findings {
  ProbeReport report;
  Kinds images;
  std::vector<Kinds> planes;      ///< one for each of Options::planes
  std::vector<ProbedImage> each;  ///< ordered by index; empty without --each
  std::uint64_t all = 0;          ///< files of the source
  bool interrupted = false;
  std::uint64_t skipped = 0;  ///< entries of a folder that are not samples
  data::Notes notes;          ///< the skipped entries that are named
};

/// "colour with alpha of 16 bits".
std::string pixels_text(const ProbedFile& file) {
  if (!file.bits) return "unknown";
  return fmt::format("{}{} of {}",
                     file.palette  ? "palette"
                     : file.colour ? "colour"
                                   : "grey",
                     file.alpha ? " with alpha" : "", report::plural(*file.bits, "bit"));
}

void add(Kinds& kinds, const ProbedFile& file) {
  if (file.format.empty()) return;
  ++kinds.pixels[pixels_text(file)];
  for (const auto what : file.drops) ++kinds.drops[std::string(what)];
}

void add(Findings& findings, const ProbedImage& image) {
  if (image.fault) return;
  add(findings.images, image);
  for (std::size_t i = 0; i < image.planes.size(); ++i) add(findings.planes[i], image.planes[i]);
}

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

report::Json to_json(const Findings& findings, const Settings& settings) {
  const auto& found = findings.report;
  auto unreached = report::Json::array(), each = report::Json::array(),
       without_image = report::Json::array();
  for (const auto& [path, reason] : findings.notes.unreached)
    unreached.push_back({{"path", sanitize(path)}, {"reason", reason}});
  for (const auto& [name, offset] : findings.notes.without_image)
    without_image.push_back({{"path", sanitize(name)}, {"offset", offset}});
  auto json = report::envelope("probe");
  report::put_faults(json, found.faults, found.faults.size());
  json["planes"] = report::planes_json(found.planes);
  for (std::size_t i = 0; i < findings.planes.size(); ++i) {
    json["planes"][i]["pixels"] = findings.planes[i].pixels;
    json["planes"][i]["drops"] = findings.planes[i].drops;
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
                   {"pixels", findings.images.pixels},
                   {"drops", findings.images.drops},
                   {"width", to_json(found.width)},
                   {"height", to_json(found.height)},
                   {"encoded_bytes", to_json(found.encoded_bytes)},
                   {"worst_scratch_bytes", found.worst_scratch.scratch_bytes},
                   {"worst_scratch_path", found.worst_scratch.name}};
  for (const auto& image : findings.each) each.push_back(to_json(image, settings.options.planes));
  if (settings.each) json["probe"]["each"] = std::move(each);
  return json;
}

std::string counted(const auto& counts) {
  std::string out;
  for (const auto& [what, count] : counts)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", report::grouped(count), what);
  return out;
}

/// "alpha of 6 files", or "nothing".
std::string drops_text(const Kinds& kinds) {
  std::string out;
  for (const auto& [what, count] : kinds.drops)
    out += fmt::format("{}{} of {}", out.empty() ? "" : ", ", what, report::plural(count, "file"));
  return out.empty() ? "nothing" : out;
}

/// The counts of planes, and what their files hold.
std::string planes_text(const Findings& findings, const std::vector<PlaneOptions>& planes) {
  if (planes.empty()) return "";
  auto out = '\n' + report::planes_text(findings.report.planes, findings.report.broken);
  for (std::size_t i = 0; i < planes.size(); ++i)
    if (!findings.planes[i].pixels.empty())
      out += fmt::format("  {} files: {}; {} drops {}\n", planes[i].name,
                         counted(findings.planes[i].pixels), to_string(planes[i].pixels),
                         drops_text(findings.planes[i]));
  return out;
}

/// What an interrupt left undone. Empty without one.
std::string interrupted_text(const Findings& findings, const Settings& settings) {
  if (!findings.interrupted) return "";
  return fmt::format(
      "Interrupted: {} of {} were examined{}.\n", report::grouped(findings.report.samples),
      report::plural(findings.all, "file"),
      settings.list_bad.empty() ? "" : ", so " + sanitize(settings.list_bad) + " is not complete");
}

std::string to_text(const Findings& findings, const Settings& settings) {
  using report::grouped, report::human_bytes;
  const auto& found = findings.report;
  const bool each = settings.each;
  auto out = interrupted_text(findings, settings);
  for (const auto& image : findings.each) out += to_text(image, settings.options.planes);
  if (each) out += '\n';
  out += fmt::format("{}: {} decode{}, {} do not{}\n", report::plural(found.samples, "file"),
                     grouped(found.sound),
                     found.damaged > 0 ? fmt::format(" ({} damaged)", grouped(found.damaged)) : "",
                     grouped(found.faults.size()),
                     found.faults.empty() ? "" : " (" + counted(kinds(found.faults)) + ")");
  if (found.sound > 0)
    out += entry("formats", "{}", counted(found.formats)) +
           entry("pixels", "{}", counted(findings.images.pixels)) +
           entry(fmt::format("{} drops", to_string(settings.options.pixels)), "{}",
                 drops_text(findings.images)) +
           entry("width", "{} to {}", found.width.least, found.width.most) +
           entry("height", "{} to {}", found.height.least, found.height.most) +
           entry("encoded", "{} to {}", human_bytes(found.encoded_bytes.least),
                 human_bytes(found.encoded_bytes.most)) +
           entry("worst scratch", "{} ({})", human_bytes(found.worst_scratch.scratch_bytes),
                 found.worst_scratch.name);
  if (const auto jpegs = found.formats.find("jpeg"); jpegs != found.formats.end())
    out += entry("with tiles", "{} of {}", grouped(found.tiled),
                 report::plural(jpegs->second, "JPEG"));
  if (findings.skipped > 0) out += entry("skipped", "{}", grouped(findings.skipped));
  for (const auto& [name, offset] : findings.notes.without_image)
    out += entry("without image", "{}: its files begin at byte {}", sanitize(name), offset);
  for (const auto& [path, reason] : findings.notes.unreached)
    out += entry("not reached", "{}: {}", sanitize(path), reason);
  out += planes_text(findings, settings.options.planes);
  if (each || found.faults.empty()) return out;
  return out + '\n' + report::faults_text(found.faults, found.faults.size(), found.faults.size());
}

Findings look_at(const AnySource& source, const Settings& settings, const Interrupt& interrupt) {
  Findings findings;
  findings.planes.resize(settings.options.planes.size());
  std::atomic<std::uint64_t> done{0};
  const Progress progress(settings, [&] {
    return fmt::format("probe: {} of {} files", report::grouped(done.load()),
                       report::grouped(source.size()));
  });
  findings.report = probe(source, settings.options,
                          {.on_image =
                               [&](const ProbedImage& image) {
                                 ++done;
                                 add(findings, image);
                                 if (settings.each) findings.each.push_back(image);
                               },
                           .stop = interrupt.token()});
  std::ranges::sort(findings.each, {}, &ProbedImage::index);
  findings.skipped = source.skipped();
  findings.all = source.size();
  findings.interrupted = interrupt.raised();
  return findings;
}

}  // namespace

int probe_command(const Settings& settings, const Interrupt& interrupt) {
  data::Notes notes;
  const auto source = open_data(settings, interrupt.token(), &notes);
  auto findings = look_at(source, settings, interrupt);
  findings.notes = std::move(notes);
  const auto& faults = findings.report.faults;
  const auto list_bad = [&] {
    std::string names;
    for (const auto& fault : faults) names += source::name_line(source.name(fault.index));
    if (!settings.list_bad.empty()) write_file(settings.list_bad, names);
  };
  const auto report = [&] {
    emit(settings, to_json(findings, settings), to_text(findings, settings));
  };
  write_all({list_bad, report});
  if (findings.interrupted) return interrupted_exit;
  return faults.empty() && findings.notes.unreached.empty() ? done_exit : failed_exit;
}

}  // namespace weir::cli
