#include "cli/next_command.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "cli/command_line.hpp"
#include "cli/option_group.hpp"
#include "options/option_row.hpp"
#include "report/advice.hpp"

namespace weir::cli {
namespace {

std::string quoted(const std::string& word) {
  constexpr auto plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:,=%+@";
  if (!word.empty() && word.find_first_not_of(plain) == word.npos) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string name_of(std::string_view word) { return std::string(word.substr(0, word.find('='))); }

std::set<std::string> names_in(const std::string& flags) {
  std::set<std::string> names;
  for (const auto word : split(flags, ' '))
    if (word.starts_with("--")) names.insert(name_of(word));
  return names;
}

/// The text of --options without automatic tuning. Commands that measure settings refuse it.
std::string without_tuning(const std::string& text) {
  std::string rest;
  for (const auto part : split(text, ',')) {
    const auto* const row = options::find(part.substr(0, part.find('=')));
    if (row == nullptr || !row->name.starts_with("tuning."))
      rest += (rest.empty() ? "" : ",") + std::string(part);
  }
  return rest;
}

}  // namespace

std::string next_command(const Settings& settings, Command command, const std::string& flag) {
  Settings had_settings, has_settings;
  CLI::App had, has;
  add_options(had, settings.command, had_settings);
  add_options(has, command, has_settings);
  auto replaced = names_in(flag);
  // Another kind of cache may have no tiles.
  if (replaced.contains("--cache")) replaced.insert("--cache-tiles");
  if (replaced.contains("--epochs")) replaced.insert("--steps");
  // A list of depths is for a sweep alone.
  if (settings.depths.size() > 1 && command != Command::sweep) replaced.insert("--max-queue-size");
  const auto stays = [&](const std::string& name) {
    const auto* const option = has.get_option_no_throw(name);
    // The words have what is in the file of --config, and a launcher has given --ranks.
    return option != nullptr && option->get_group() != "Output" && name != "--config" &&
           name != "--ranks" && !replaced.contains(name);
  };
  const bool measures = command == Command::tune || command == Command::sweep;
  auto line = "weir " + std::string(name_of(command));
  // No option follows this word.
  const auto end = std::ranges::find(settings.arguments, "--");
  const std::vector words(settings.arguments.begin(), end);
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto name = name_of(words[i]);
    const auto* const option = name.starts_with("--") ? had.get_option_no_throw(name) : nullptr;
    const bool has_value = option != nullptr && option->get_expected_max() > 0 &&
                           words[i].size() == name.size() && i + 1 < words.size();
    if (name == "--options" && measures) {
      const auto text = has_value ? words[i + 1] : words[i].substr(words[i].find('=') + 1);
      if (const auto rest = without_tuning(text); !rest.empty())
        line += " --options " + quoted(rest);
    } else if (option == nullptr || stays(name)) {
      line += " " + quoted(words[i]);
      if (has_value) line += " " + quoted(words[i + 1]);
    }
    if (has_value) ++i;
  }
  if (!flag.empty()) line += " " + flag;
  for (auto word = end; word != settings.arguments.end(); ++word) line += " " + quoted(*word);
  return line;
}

std::string next_command(const Settings& settings, const Advice& advice, Command otherwise,
                         const std::string& also) {
  const auto* const lever = report::best_lever(advice);
  const bool unmeasured = settings.command != Command::tune && !advice.levers.empty() &&
                          advice.levers.back().basis == Basis::unknown;
  if (lever == nullptr || lever->flag.empty())
    return next_command(settings, unmeasured ? Command::tune : otherwise, also);
  // Until `pays_from` the change only costs, and steps may end before.
  const auto epochs = 2 * lever->pays_from - 1;
  const bool is_too_short = epochs > 1 && (settings.steps || settings.epochs.value_or(1) < epochs);
  const bool adds = !also.empty() && !names_in(lever->flag).contains(*names_in(also).begin());
  return next_command(settings, Command::run,
                      (adds ? also + " " : "") + lever->flag +
                          (is_too_short ? " --epochs " + std::to_string(epochs) : ""));
}

}  // namespace weir::cli
