#include "findings/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "report/bytes.hpp"
#include "report/stats_text.hpp"
#include "report/table.hpp"
#include "report/text.hpp"

namespace weir::findings {
namespace {

report::Json to_json(const ChecksumFindings& found) {
  return {{"shards", found.shards}, {"samples", found.samples}, {"wrong", found.wrong}};
}

std::string to_text(const ChecksumFindings& findings) {
  constexpr std::size_t most_lines = 20;
  const auto wrong = findings.wrong.size();
  auto text = fmt::format("checksums of {} in {}: {}\n", report::plural(findings.samples, "sample"),
                          report::plural(findings.shards, "shard"),
                          wrong == 0 ? "all are right" : report::grouped(wrong) + " differ");
  for (std::size_t i = 0; i < std::min(wrong, most_lines); ++i)
    text += "  " + findings.wrong[i] + '\n';
  return text + (wrong > most_lines ? "  …\n" : "");
}

report::Json laws_json(const VerifyFindings& found) {
  auto laws = report::Json::array();
  for (const auto& law : found.laws.all())
    laws.push_back({{"law", law.name},
                    {"checks", law.checks},
                    {"breaches", law.breaches},
                    {"first_breach", report::text_or_null(law.first_breach)}});
  return {{"breaches", found.laws.breaches()},
          {"laws", std::move(laws)},
          {"determinism",
           {{"batches", found.second.compared},
            {"ranks", found.world},
            {"skipped", report::text_or_null(found.second.skipped)}}}};
}

std::string second_text(const VerifyFindings& found) {
  if (!found.second.skipped.empty())
    return fmt::format("determinism was not checked: {}\n", found.second.skipped);
  const auto compared = found.second.compared;
  return fmt::format("{} {} delivered once more, by {}\n", report::plural(compared, "batch"),
                     compared == 1 ? "was" : "were",
                     found.world == 1 ? std::string("a loader with other workers, queue and budget")
                                      : fmt::format("{} ranks side by side", found.world));
}

}  // namespace

report::Json to_json(const VerifyFindings& found, const std::string& data) {
  auto json = report::run_report("verify", found.run);
  json["data"] = data;
  json["verify"] = laws_json(found);
  json["checksums"] = found.checksums ? to_json(*found.checksums) : report::Json();
  return json;
}

std::string to_text(const VerifyFindings& found) {
  using report::grouped;
  report::Table laws("<Law|checks|breaches|<", 0);
  for (const auto& law : found.laws.all())
    laws.add({fmt::format("  {}", law.name), grouped(law.checks), grouped(law.breaches),
              law.first_breach});
  const auto& figures = found.run.figures;
  auto out = found.checksums ? to_text(*found.checksums) + '\n' : std::string();
  out += report::samples_text(figures.samples, figures.plan) + report::cache_text(figures) +
         report::broken_text(figures) + '\n' + laws.text() + '\n';
  const auto waits = figures.stages[static_cast<std::size_t>(Stage::wait)].count;
  const auto memory_wait = figures.queue.workers.memory_wait_s;
  if (waits > 0 || memory_wait > 0)
    out += fmt::format("{} waited for bytes; the budget held workers up for {:.2f} s\n",
                       report::plural(waits, "sample"), memory_wait);
  if (!found.run.digest.empty()) out += fmt::format("Digest {}\n", found.run.digest);
  const auto breaches = found.laws.breaches();
  const auto wrong = found.checksums ? found.checksums->wrong.size() : 0;
  return out + second_text(found) +
         (wrong > 0 ? report::plural(wrong, "checksum") + (wrong == 1 ? " differs. " : " differ. ")
                    : "") +
         (breaches == 0 ? "No breach.\n" : fmt::format("{} BREACHES.\n", grouped(breaches)));
}

}  // namespace weir::findings
