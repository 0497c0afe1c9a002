#include "report/profile_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <nlohmann/json.hpp>

#include "report/bytes.hpp"
#include "report/table.hpp"

namespace weir::report {
namespace {

constexpr std::size_t steps_shown_whole = 5, first_steps_shown = 3;

std::uint64_t held_most(const StepUse& step) {
  std::uint64_t sum = 0;
  for (const auto& use : step.whole.watched) sum += use.peak;
  return sum;
}

struct Unit {
  const char* name;
  double size;
};
Unit unit_of(std::uint64_t most) {
  constexpr std::uint64_t kibi = 1u << 10, mebi = 1u << 20;
  if (most < 10 * kibi) return {"B", 1};
  if (most < 10 * mebi) return {"KiB", double{kibi}};
  return {"MiB", double{mebi}};
}

/// One column with bytes: a total, one of its accounts, or the process.
struct Column {
  std::string heading;
  std::function<std::array<std::uint64_t, 2>(const PhaseUse&)> live_and_peak;
};

const AccountUse& account_of(const PhaseUse& phase, std::size_t watched, std::size_t account) {
  static const AccountUse none;  // for an account that was created later
  const auto& accounts = phase.watched[watched].accounts;
  return account < accounts.size() ? accounts[account] : none;
}

std::vector<Column> columns_of(const std::string& name, std::span<const StepUse> shown,
                               std::size_t watched) {
  std::vector<Column> columns{
      {name, [=](const PhaseUse& phase) {
         return std::array{phase.watched[watched].live, phase.watched[watched].peak};
       }}};
  const auto& last = shown.back().whole.watched[watched].accounts;
  for (std::size_t i = 0; i < last.size(); ++i) {
    const bool used = std::ranges::any_of(
        shown, [&](const StepUse& step) { return account_of(step.whole, watched, i).peak > 0; });
    if (used)
      columns.push_back({last[i].name, [=](const PhaseUse& phase) {
                           const auto& use = account_of(phase, watched, i);
                           return std::array{use.live, use.peak};
                         }});
  }
  return columns;
}

std::string table_text(std::span<const Column> columns, std::span<const StepUse> shown,
                       const Unit& unit) {
  Table table("step|<phase|<");
  for (const auto& column : columns) table.add_column(column.heading);
  const auto bytes = [&](std::uint64_t value) {
    return fmt::format("{:.{}f}", static_cast<double>(value) / unit.size, unit.size > 1 ? 2 : 0);
  };
  const auto add = [&](const std::string& step, const std::string& name, const PhaseUse& phase) {
    std::vector<std::string> live{step, name, "live"}, peak{"", "", "peak"};
    for (const auto& column : columns) {
      const auto [now, most] = column.live_and_peak(phase);
      live.push_back(bytes(now));
      peak.push_back(bytes(most));
    }
    table.add(std::move(live));
    table.add(std::move(peak));
  };
  for (const auto& step : shown) {
    auto number = fmt::format("{}", step.number);
    for (const auto& phase : step.phases) {
      add(number, phase.times > 1 ? fmt::format("{} ×{}", phase.name, phase.times) : phase.name,
          phase);
      number.clear();
    }
    add(number, "(the step)", step.whole);
  }
  return table.text();
}

Json use_json(const std::string& name, const MemoryUse& use) {
  Json accounts = Json::array();
  for (const auto& one : use.accounts)
    accounts.push_back(
        {{"account", one.name}, {"live", one.live}, {"peak", one.peak}, {"at_peak", one.at_peak}});
  return {{"name", name}, {"live", use.live}, {"peak", use.peak}, {"accounts", accounts}};
}

Json phase_json(std::span<const std::string> names, const PhaseUse& phase) {
  Json memory = Json::array();
  for (std::size_t i = 0; i < phase.watched.size(); ++i)
    memory.push_back(use_json(names[i], phase.watched[i]));
  return {{"memory", memory}, {"rss", phase.rss}, {"rss_peak", phase.rss_peak}};
}

}  // namespace

std::vector<std::size_t> steps_worth_showing(std::span<const StepUse> steps) {
  std::vector<std::size_t> shown;
  const auto highest = std::max_element(
      steps.begin(), steps.end(),
      [](const StepUse& a, const StepUse& b) { return held_most(a) < held_most(b); });
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool worth = steps.size() <= steps_shown_whole || i < first_steps_shown ||
                       i + 1 == steps.size() ||
                       steps.begin() + static_cast<std::ptrdiff_t>(i) == highest;
    if (worth) shown.push_back(i);
  }
  return shown;
}

std::string profile_text(std::span<const std::string> names, std::span<const StepUse> steps,
                         std::uint64_t begun) {
  if (steps.empty()) return "Memory by phase: no step or phase yet\n";
  std::vector<StepUse> shown;
  for (const auto i : steps_worth_showing(steps)) shown.push_back(steps[i]);

  std::string text = "Memory by phase: live at its end, and the most while it lasted\n";
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::uint64_t most = 0;
    for (const auto& step : shown) most = std::max(most, step.whole.watched[i].peak);
    const auto unit = unit_of(most);
    text += fmt::format("\n{}, {}\n", names[i], unit.name) +
            table_text(columns_of(names[i], shown, i), shown, unit);
  }
  const Column rss{"RSS", [](const PhaseUse& p) { return std::array{p.rss, p.rss_peak}; }};
  const auto process = unit_of(UINT64_MAX);
  text += fmt::format("\nthe process, {}\n", process.name) + table_text({&rss, 1}, shown, process);
  const auto last = steps.back().number;
  if (shown.size() < steps.size())
    text += fmt::format("{} steps of {} are shown.\n", shown.size(), grouped(steps.size()));
  if (begun > last)
    text += fmt::format("Of {} steps the first {} were kept.\n", grouped(begun), grouped(last));
  return text;
}

Json profile_json(std::span<const std::string> names, std::span<const StepUse> steps,
                  std::uint64_t begun) {
  Json list = Json::array();
  for (const auto& step : steps) {
    Json phases = Json::array();
    for (const auto& phase : step.phases) {
      Json one = {{"phase", phase.name}, {"times", phase.times}};
      one.update(phase_json(names, phase));
      phases.push_back(std::move(one));
    }
    list.push_back(
        {{"step", step.number}, {"phases", phases}, {"whole", phase_json(names, step.whole)}});
  }
  auto out = head("profile");
  out["profile"] = {{"watched", names},
                    {"steps_begun", begun},
                    {"shown", steps_worth_showing(steps)},
                    {"steps", list}};
  return out;
}

}  // namespace weir::report
