#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "base/sanitize.hpp"
#include "cli/commands.hpp"
#include "cli/data.hpp"
#include "cli/output.hpp"
#include "cli/survey.hpp"
#include "report/bytes.hpp"
#include "report/clock_text.hpp"
#include "report/json.hpp"
#include "report/text.hpp"
#include "source/name_list.hpp"

namespace weir::cli {
namespace {

report::Json to_json(const Range& range) { return {{"least", range.least}, {"most", range.most}}; }

/// Calls `sound` or `bad` for every file, by index.
template <class OnSound, class OnBad>
void for_each(const Survey& found, OnSound sound, OnBad bad) {
  auto fault = found.faults.begin();
  for (const auto& file : found.each) {
    for (; fault != found.faults.end() && fault->index < file.index; ++fault) bad(*fault);
    sound(file);
  }
  for (; fault != found.faults.end(); ++fault) bad(*fault);
}

const char* verdict(const Sound& file) { return file.damaged ? "damaged" : "ok"; }

report::Json each_json(const Survey& found) {
  auto list = report::Json::array();
  for_each(
      found,
      [&](const Sound& file) {
        list.push_back({{"path", file.name},
                        {"verdict", verdict(file)},
                        {"format", file.format},
                        {"width", file.width},
                        {"height", file.height}});
      },
      [&](const Fault& fault) {
        list.push_back({{"path", fault.name}, {"verdict", to_string(fault.kind)}});
      });
  return list;
}

std::string each_text(const Survey& found) {
  std::string out;
  for_each(
      found,
      [&](const Sound& file) {
        out += fmt::format("{}: {} ({}, {}x{})\n", file.name, verdict(file), file.format,
                           file.width, file.height);
      },
      [&](const Fault& fault) { out += report::fault_text(fault) + '\n'; });
  return out + '\n';
}

std::map<std::string_view, std::uint64_t> kinds(const Survey& found) {
  std::map<std::string_view, std::uint64_t> counts;
  for (const auto& fault : found.faults) ++counts[to_string(fault.kind)];
  return counts;
}

/// What a folder holds beside its samples.
struct Beside {
  std::uint64_t skipped = 0;
  std::vector<source::Unreached> unreached;  ///< of those
};

report::Json to_json(const std::vector<source::Unreached>& unreached) {
  auto list = report::Json::array();
  for (const auto& [path, reason] : unreached)
    list.push_back({{"path", sanitize(path)}, {"reason", reason}});
  return list;
}

report::Json to_json(const Survey& found, const Beside& beside, const Settings& settings,
                     bool interrupted) {
  auto json = report::envelope("probe");
  report::put_faults(json, found.faults, found.faults.size());
  json["interrupted"] = interrupted;
  json["probe"] = {{"files", found.files},
                   {"sound", found.sound},
                   {"damaged", found.damaged},
                   {"bad", found.faults.size()},
                   {"skipped", beside.skipped},
                   {"unreached", to_json(beside.unreached)},
                   {"kinds", kinds(found)},
                   {"formats", found.formats},
                   {"width", to_json(found.width)},
                   {"height", to_json(found.height)},
                   {"encoded_bytes", to_json(found.encoded_bytes)},
                   {"worst_scratch_bytes", found.worst_scratch},
                   {"worst_scratch_path", found.worst_scratch_name}};
  if (settings.each) json["probe"]["each"] = each_json(found);
  return json;
}

std::string counted(const auto& counts) {
  std::string out;
  for (const auto& [what, count] : counts)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", report::grouped(count), what);
  return out;
}

std::string to_text(const Survey& found, const Beside& beside, bool each) {
  using report::grouped, report::human_bytes;
  auto out = each ? each_text(found) : std::string();
  out += fmt::format(
      "{}: {} decode{}, {} do not{}\n", report::plural(found.files, "file"), grouped(found.sound),
      found.damaged > 0 ? fmt::format(" ({} damaged)", grouped(found.damaged)) : "",
      grouped(found.faults.size()), found.faults.empty() ? "" : " (" + counted(kinds(found)) + ")");
  if (found.sound > 0)
    out += fmt::format(
        "  formats         {}\n  width           {} to {}\n  height          {} to {}\n"
        "  encoded         {} to {}\n  worst scratch   {} ({})\n",
        counted(found.formats), found.width.least, found.width.most, found.height.least,
        found.height.most, human_bytes(found.encoded_bytes.least),
        human_bytes(found.encoded_bytes.most), human_bytes(found.worst_scratch),
        found.worst_scratch_name);
  if (beside.skipped > 0) out += fmt::format("  skipped         {}\n", grouped(beside.skipped));
  for (const auto& [path, reason] : beside.unreached)
    out += fmt::format("  not reached     {}: {}\n", sanitize(path), reason);
  if (each || found.faults.empty()) return out;
  return out + '\n' + report::faults_text(found.faults, found.faults.size(), found.faults.size());
}

std::string bad_names(const AnySource& source, const Survey& found) {
  std::string list;
  for (const auto& fault : found.faults) list += source::name_line(source.name(fault.index));
  return list;
}

}  // namespace

int probe_command(const Settings& settings, const Interrupt& interrupt) {
  Beside beside;
  const auto source = open_data(settings, interrupt.token(), &beside.unreached);
  const auto found = survey(source, settings, interrupt);
  if (!settings.list_bad.empty()) write_file(settings.list_bad, bad_names(source, found));
  beside.skipped = source.skipped();
  emit(settings, to_json(found, beside, settings, interrupt.raised()),
       to_text(found, beside, settings.each));
  if (interrupt.raised()) return interrupted_exit;
  return found.faults.empty() && beside.unreached.empty() ? done_exit : failed_exit;
}

}  // namespace weir::cli
