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

struct Findings {
  ProbeReport report;
  std::vector<ProbedImage> each;  ///< ordered by index; empty without --each
  std::uint64_t all = 0;          ///< files of the source
  bool interrupted = false;
  std::uint64_t skipped = 0;  ///< entries of a folder that are not samples
  DataNotes notes;            ///< the skipped entries that are named
};

const char* verdict(const ProbedImage& image) { return image.damaged ? "damaged" : "ok"; }

report::Json to_json(const ProbedRange& range) {
  return {{"least", range.least}, {"most", range.most}};
}

report::Json to_json(const ProbedImage& image) {
  if (image.fault) return {{"path", image.name}, {"verdict", to_string(image.fault->kind)}};
  return {{"path", image.name},
          {"verdict", verdict(image)},
          {"format", image.format},
          {"width", image.width},
          {"height", image.height}};
}

std::string to_text(const ProbedImage& image) {
  if (image.fault) return report::fault_text(*image.fault) + '\n';
  return fmt::format("{}: {} ({}, {}x{})\n", image.name, verdict(image), image.format, image.width,
                     image.height);
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
                   {"width", to_json(found.width)},
                   {"height", to_json(found.height)},
                   {"encoded_bytes", to_json(found.encoded_bytes)},
                   {"worst_scratch_bytes", found.worst_scratch.scratch_bytes},
                   {"worst_scratch_path", found.worst_scratch.name}};
  for (const auto& image : findings.each) each.push_back(to_json(image));
  if (settings.each) json["probe"]["each"] = std::move(each);
  return json;
}

std::string counted(const auto& counts) {
  std::string out;
  for (const auto& [what, count] : counts)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", report::grouped(count), what);
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
  for (const auto& image : findings.each) out += to_text(image);
  if (each) out += '\n';
  out += fmt::format("{}: {} decode{}, {} do not{}\n", report::plural(found.samples, "file"),
                     grouped(found.sound),
                     found.damaged > 0 ? fmt::format(" ({} damaged)", grouped(found.damaged)) : "",
                     grouped(found.faults.size()),
                     found.faults.empty() ? "" : " (" + counted(kinds(found.faults)) + ")");
  if (found.sound > 0)
    out += fmt::format(
        "  formats         {}\n  width           {} to {}\n  height          {} to {}\n"
        "  encoded         {} to {}\n  worst scratch   {} ({})\n",
        counted(found.formats), found.width.least, found.width.most, found.height.least,
        found.height.most, human_bytes(found.encoded_bytes.least),
        human_bytes(found.encoded_bytes.most), human_bytes(found.worst_scratch.scratch_bytes),
        found.worst_scratch.name);
  if (findings.skipped > 0) out += fmt::format("  skipped         {}\n", grouped(findings.skipped));
  for (const auto& [name, offset] : findings.notes.without_image)
    out +=
        fmt::format("  without image   {}: its files begin at byte {}\n", sanitize(name), offset);
  for (const auto& [path, reason] : findings.notes.unreached)
    out += fmt::format("  not reached     {}: {}\n", sanitize(path), reason);
  if (const auto planes = report::planes_text(found.planes, found.broken); !planes.empty())
    out += '\n' + planes;
  if (each || found.faults.empty()) return out;
  return out + '\n' + report::faults_text(found.faults, found.faults.size(), found.faults.size());
}

Findings look_at(const AnySource& source, const Settings& settings, const Interrupt& interrupt) {
  Findings findings;
  std::atomic<std::uint64_t> done{0};
  const Progress progress(settings, [&] {
    return ProgressLine{
        ProgressField{.text = fmt::format("probe: {} of {} files", report::grouped(done.load()),
                                          report::grouped(source.size()))}};
  });
  findings.report = probe(source, settings.options,
                          {.on_image =
                               [&](const ProbedImage& image) {
                                 ++done;
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
  DataNotes notes;
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
