#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/data.hpp"
#include "cli/survey.hpp"
#include "report/bytes.hpp"
#include "report/json.hpp"
#include "report/text.hpp"

namespace weir::cli {
namespace {

report::Json to_json(const Range& range) { return {{"least", range.least}, {"most", range.most}}; }

report::Json to_json(const Survey& found, bool interrupted) {
  auto json = report::envelope("probe");
  report::put_faults(json, found.faults, found.faults.size());
  json["interrupted"] = interrupted;
  json["probe"] = {{"files", found.files},
                   {"sound", found.sound},
                   {"bad", found.faults.size()},
                   {"formats", found.formats},
                   {"width", to_json(found.width)},
                   {"height", to_json(found.height)},
                   {"encoded_bytes", to_json(found.encoded_bytes)},
                   {"worst_scratch_bytes", found.worst_scratch},
                   {"worst_scratch_path", found.worst_scratch_name}};
  return json;
}

std::string to_text(const Survey& found) {
  using report::grouped, report::human_bytes;
  auto out = fmt::format("{} files, {} decode, {} do not\n", grouped(found.files),
                         grouped(found.sound), grouped(found.faults.size()));
  if (found.sound > 0) {
    out += "  formats       ";
    for (const auto& [format, count] : found.formats)
      out += fmt::format("  {} {}", format, grouped(count));
    out += fmt::format(
        "\n  width           {} to {}\n  height          {} to {}\n  encoded         {} to {}\n"
        "  worst scratch   {} ({})\n",
        found.width.least, found.width.most, found.height.least, found.height.most,
        human_bytes(found.encoded_bytes.least), human_bytes(found.encoded_bytes.most),
        human_bytes(found.worst_scratch), found.worst_scratch_name);
  }
  if (const auto faults =
          report::faults_text(found.faults, found.faults.size(), found.faults.size());
      !faults.empty())
    out += '\n' + faults;
  return out;
}

}  // namespace

int probe_command(const Settings& settings, const Interrupt& interrupt) {
  const auto found = survey(open_data(settings, interrupt.token()), settings, interrupt);
  emit(settings, to_json(found, interrupt.raised()), to_text(found));
  if (interrupt.raised()) return interrupted_exit;
  return found.faults.empty() ? done_exit : failed_exit;
}

}  // namespace weir::cli
