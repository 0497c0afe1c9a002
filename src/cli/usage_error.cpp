#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "cli/messages.hpp"
#include "cli/option_group.hpp"
#include "cli/parse.hpp"

namespace weir::cli {
namespace {

/// Names of other programs, and what weir has instead: an option, or a sentence after the name.
constexpr struct {
  std::string_view typed, instead;
} synonyms[] = {
    {"--num-workers --threads --num-threads --jobs -j", "--workers"},
    {"--batch-size -b", "--batch"},
    {"--prefetch --prefetch-factor --queue-depth --depth", "--max-queue-size"},
    {"--memory --mem --memory-limit", "--memory-budget"},
    {"--pin-memory", "--slab-memory"},
    {"--num-epochs", "--epochs"},
    {"--max-steps", "--steps"},
    {"--image-size --resize", "--size"},
    {"--timeout", "--watchdog"},
    {"--output -o", "--json"},
    {"-q -s --silent", "--quiet"},
    {"--version -v -V", "`weir --version` prints the version"},
    {"--world-size --num-replicas --num-shards", "--world"},
    {"--shard-id", "--rank"},
    {"--launcher", "--ranks"},
    {"--nproc-per-node", "--ranks-per-node"},
};

/// The number of letters to change, add or remove so that both words are equal.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    auto diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j)
      diagonal = std::exchange(
          row[j + 1], std::min({row[j] + 1, row[j + 1] + 1, diagonal + (a[i] == b[j] ? 0 : 1)}));
  }
  return row.back();
}

/// The option that contains the words of `name`, as --memory-budget contains --budget. Otherwise the
/// closest one.
std::string similar(std::string_view name, std::span<const std::string> options) {
  const auto words = name.substr(std::min(name.find_first_not_of('-'), name.size()));
  constexpr std::size_t least_letters = 4;
  if (words.size() >= least_letters)
    for (const auto& option : options)
      if (('-' + option + '-').find(fmt::format("-{}-", words)) != option.npos) return option;
  return closest(name, options);
}

/// What to do instead of using the option `name`, which `command` does not have.
std::string instead_of(std::string name, const CLI::App& app, const CLI::App& command) {
  std::ranges::replace(name, '_', '-');
  std::vector<std::string> names, others;
  for (const auto* option : shown_options(command)) names.push_back(option->get_name());
  if (std::ranges::count(names, name) > 0) return fmt::format("; did you mean {}?", name);
  for (const auto& [typed, instead] : synonyms) {
    if (!lists(typed, name)) continue;
    if (!instead.starts_with('-')) return fmt::format("; {}", instead);
    if (std::ranges::count(names, instead) > 0) return fmt::format("; did you mean {}?", instead);
  }
  for (const auto* other : app.get_subcommands({}))
    if (other->get_option_no_throw(name) != nullptr) others.push_back(other->get_name());
  if (!others.empty())
    return fmt::format("; {} {} it", fmt::join(others, ", "), others.size() == 1 ? "has" : "have");
  const auto near = similar(name, names);
  return near.empty() ? "" : fmt::format("; did you mean {}?", near);
}

/// Arguments that the command does not accept.
std::string unexpected(const CLI::App& app, const CLI::App& command,
                       const std::vector<std::string>& arguments) {
  for (const auto& argument : arguments) {
    const auto name = argument.substr(0, argument.find('='));
    if (name.size() < 2 || !name.starts_with('-') || command.get_option_no_throw(name) != nullptr)
      continue;
    const auto instead = instead_of(name, app, command);
    return fmt::format("weir {} has no {}{}", command.get_name(), as_typed(name), instead);
  }
  const auto extra = fmt::format("{}", fmt::join(command.remaining(), " "));
  for (const auto* option : shown_options(command))
    if (option->get_positional())
      return fmt::format("weir {} takes one {}; {} is a second one", command.get_name(),
                         option->get_name(true), as_typed(extra));
  return fmt::format("weir {} takes options only; {} is none", command.get_name(), as_typed(extra));
}

}  // namespace

std::vector<const CLI::Option*> shown_options(const CLI::App& command) {
  return command.get_options(
      [](const CLI::Option* option) { return !option->get_group().empty(); });
}

std::string closest(std::string_view word, std::span<const std::string> candidates) {
  std::string best;
  auto least = std::max<std::size_t>(2, word.size() / 4) + 1;
  for (const auto& candidate : candidates)
    if (const auto letters = distance(word, candidate); letters < least) {
      least = letters;
      best = candidate;
    }
  return best;
}

std::string usage_error(const CLI::ParseError& error, const CLI::App& app, const CLI::App* command,
                        const std::vector<std::string>& arguments) {
  const std::string what = error.what();
  if (command == nullptr)
    return fmt::format("{0} is before the command; write weir COMMAND {0}",
                       as_typed(arguments.front()));
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr)
    return unexpected(app, *command, arguments);
  // CLI11 begins its text with the name of the option.
  const auto* const option = command->get_option_no_throw(what.substr(0, what.find_first_of(": ")));
  const bool wrong_value = dynamic_cast<const CLI::ValidationError*>(&error) != nullptr;
  const bool flag = option != nullptr && option->get_type_name().empty();
  if (wrong_value && flag)
    return typed_option(option->get_name(), arguments) + what.substr(option->get_name().size());
  if (option == nullptr || wrong_value) return what;
  const auto form = fmt::format("{} {}", option->get_name(), option->get_type_name());
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr)
    return option->get_positional() ? fmt::format("weir {} needs {}: {}", command->get_name(),
                                                  option->get_name(true), option->get_description())
                                    : fmt::format("weir {} needs {}", command->get_name(), form);
  return fmt::format("{} needs a value; write {}", option->get_name(), form);
}

}  // namespace weir::cli
