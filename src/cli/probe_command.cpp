#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/data.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "findings/probe.hpp"
#include "report/bytes.hpp"
#include "report/stats_text.hpp"
#include "source/name_list.hpp"
#include "weir/probe.hpp"

namespace weir::cli {
namespace {

findings::ProbeFindings look_at(const AnySource& source, const Settings& settings,
                                const Interrupt& interrupt) {
  findings::ProbeFindings findings;
  if (settings.each) findings.each.emplace();
  std::atomic<std::uint64_t> done{0};
  const Progress progress(settings, [&] {
    return fmt::format("probe: {} of {} files", report::grouped(done.load()),
                       report::grouped(source.size()));
  });
  findings.report = probe(source, settings.options,
                          {.on_image =
                               [&](const ProbedImage& image) {
                                 ++done;
                                 if (findings.each) findings.each->push_back(image);
                               },
                           .stop = interrupt.token()});
  if (findings.each) std::ranges::sort(*findings.each, {}, &ProbedImage::index);
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
  findings.skipped = std::max<std::uint64_t>(findings.skipped, notes.without_image.size());
  findings.notes = std::move(notes);
  const auto& faults = findings.report.faults;
  const auto list_bad = [&] {
    std::string names;
    for (const auto& fault : faults) names += source::name_line(source.name(fault.index));
    if (!settings.list_bad.empty()) write_file(settings.list_bad, names);
  };
  const auto report = [&] {
    emit(settings, to_json(findings, settings.options),
         to_text(findings, settings.options, settings.list_bad));
  };
  write_all({list_bad, report});
  if (findings.interrupted) return interrupted_exit;
  return faults.empty() && findings.notes.unreached.empty() ? done_exit : failed_exit;
}

}  // namespace weir::cli
