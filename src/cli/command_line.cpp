#include "cli/command_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <utility>

#include "base/text_file.hpp"
#include "cli/config_file.hpp"
#include "cli/messages.hpp"
#include "cli/option_group.hpp"
#include "cli/parse.hpp"
#include "weir/version.hpp"

namespace weir::cli {
namespace {

constexpr CommandRow rows[] = {
    {Command::plan,
     "plan",
     "Bytes by queue depth and element type, before any image is decoded.",
     {"weir plan --batch 64 --size 224x224", "weir plan photos --memory-budget 2GiB",
      "weir plan --model resnet18.json --batch 64"}},
    {Command::footprint,
     "footprint",
     "Memory that training a model takes, before anything runs.",
     {"weir footprint resnet18.json", "weir footprint resnet18.json --batch 64 --dtype bfloat16",
      "weir footprint resnet18.json --optimizer adam --fit 8GiB"}},
    {Command::probe,
     "probe",
     "What is in the data, and which files do not decode, and why.",
     {"weir probe photos", "weir probe photos --list-bad bad.txt",
      "weir probe photos --each --json probe.json"}},
    {Command::run,
     "run",
     "Runs epochs as a trainer would, and reports.",
     {"weir run photos --shuffle --epochs 2", "weir run photos --html run.html --trace run.trace",
      "weir run synthetic:1000,375x500 --consumer-ms 20"}},
    {Command::sweep,
     "sweep",
     "What each queue depth costs and brings, predicted and measured.",
     {"weir sweep photos", "weir sweep photos --max-queue-size 1,2,4,8 --consumer-ms 20",
      "weir sweep photos --steps 100 --html sweep.html"}},
    {Command::tune,
     "tune",
     "What limits the run, and the smallest settings that are as fast.",
     {"weir tune photos", "weir tune photos --consumer-ms 20 --target-readiness 95%",
      "weir tune photos --memory-budget auto --html tune.html"}},
    {Command::verify,
     "verify",
     "Checks the accounting at each batch, and that the order repeats.",
     {"weir verify photos", "weir verify photos --epochs 3 --shuffle --workers 4",
      "weir verify photos --shuffle --world 4"}},
    {Command::order,
     "order",
     "Which sample each rank gets at each step; no image is decoded.",
     {"weir order photos --shuffle --world 4", "weir order photos --shuffle --world 4 --rank 0",
      "weir order photos --order blocks:64:16 --epochs 2"}},
    {Command::pack,
     "pack",
     "Writes DATA as tar shards with smaller images, which cost less to decode.",
     {"weir pack photos packed --short-side 256", "weir pack photos packed --keep --shuffle",
      "weir pack list.tsv packed --short-side 512 --quality 95 --on-fault skip"}},
    {Command::index,
     "index",
     "The index of tar shards: offsets, sizes, labels and checksums.",
     {"weir index train-{000..015}.tar", "weir index shards --label json:/label",
      "weir index shards --dali-index shards"}},
    {Command::page,
     "page",
     "The page with charts of a saved report.",
     {"weir page run.json --html run.html", "weir page sweep.json --html sweep.html",
      "weir page profile.json --html profile.html"}},
    {Command::demo,
     "demo",
     "Makes a few hundred JPEGs and sweeps over them.",
     {"weir demo", "weir demo --html demo.html", "weir demo --quiet --json demo.json"}},
    {Command::help,
     "help",
     "The commands, or the options of one of them.",
     {"weir help", "weir help run", "weir help run --all"}},
};

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

/// Adds all commands, and the options of those that are in `words`, or of all if it is empty. To add the
/// options of all would take most of the time of a start.
void add_commands(CLI::App& app, Settings& settings, std::span<const std::string> words) {
  app.require_subcommand(1);  // otherwise the name after `help` would be a second command
  app.set_version_flag("--version", "weir " + std::string(version));
  for (const auto& row : rows) {
    auto& sub = *app.add_subcommand(row.name, row.summary);
    sub.preparse_callback(
        [&settings, command = row.command](std::size_t) { settings.command = command; });
    if (words.empty() || std::ranges::count(words, row.name) > 0)
      add_options(sub, row.command, settings);
  }
}

/// What to do instead of using the option `name`, which `command` does not have.
std::string instead_of(std::string name, const CLI::App& command) {
  std::ranges::replace(name, '_', '-');
  std::vector<std::string> names, others;
  for (const auto* option : shown_options(command)) names.push_back(option->get_name());
  if (std::ranges::count(names, name) > 0) return fmt::format("; did you mean {}?", name);
  for (const auto& [typed, instead] : synonyms) {
    if (!lists(typed, name)) continue;
    if (!instead.starts_with('-')) return fmt::format("; {}", instead);
    if (std::ranges::count(names, instead) > 0) return fmt::format("; did you mean {}?", instead);
  }
  CLI::App app;
  Settings unused;
  add_commands(app, unused, {});
  for (const auto* other : app.get_subcommands({}))
    for (const auto* option : shown_options(*other))
      if (option->get_name() == name) others.push_back(other->get_name());
  if (!others.empty())
    return fmt::format("; {} {} it", fmt::join(others, ", "), others.size() == 1 ? "has" : "have");
  const auto near = similar(name, names);
  return near.empty() ? "" : fmt::format("; did you mean {}?", near);
}

/// Arguments that the command does not accept.
std::string unexpected(const CLI::App& command, const std::vector<std::string>& arguments) {
  for (const auto& argument : arguments) {
    const auto name = argument.substr(0, argument.find('='));
    if (name.size() < 2 || !name.starts_with('-') || command.get_option_no_throw(name) != nullptr)
      continue;
    const auto instead = instead_of(name, command);
    return fmt::format("weir {} has no {}{}", command.get_name(), as_typed(name), instead);
  }
  const auto extra = fmt::format("{}", fmt::join(command.remaining(), " "));
  for (const auto* option : shown_options(command))
    if (option->get_positional())
      return fmt::format("weir {} takes one {}; {} is a second one", command.get_name(),
                         option->get_name(true), as_typed(extra));
  return fmt::format("weir {} takes options only; {} is none", command.get_name(), as_typed(extra));
}

std::string form_of(const CLI::Option& option) {
  return fmt::format("{} {}", option.get_name(), option.get_type_name());
}

/// What to write for an option whose value is empty.
std::string needs_value(const CLI::Option& option) {
  if (option.get_type_name().empty())
    return fmt::format("{0} takes no value; write {0}, or {0}=false", option.get_name());
  return fmt::format("{} needs a value; write {}", option.get_name(), form_of(option));
}

/// What is wrong with `arguments`, as a message for the user. CLI11 has refused them with `error`.
/// `command` is the command that they name; null if they name none.
std::string usage_error(const CLI::ParseError& error, const CLI::App* command,
                        const std::vector<std::string>& arguments) {
  const std::string what = error.what();
  if (command == nullptr)
    return fmt::format("{0} is before the command; write weir COMMAND {0}",
                       as_typed(arguments.front()));
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr)
    return unexpected(*command, arguments);
  // CLI11 begins its text with the name of the option.
  const auto* const option = command->get_option_no_throw(what.substr(0, what.find_first_of(": ")));
  const bool wrong_value = dynamic_cast<const CLI::ValidationError*>(&error) != nullptr;
  const bool flag = option != nullptr && option->get_type_name().empty();
  if (wrong_value && flag)
    return typed_option(option->get_name(), arguments) + what.substr(option->get_name().size());
  if (option == nullptr || wrong_value) return what;
  if (dynamic_cast<const CLI::RequiredError*>(&error) == nullptr) return needs_value(*option);
  return fmt::format("weir {} needs {}", command->get_name(),
                     option->get_positional()
                         ? option->get_name(true) + ": " + option->get_description()
                         : form_of(*option));
}

/// Options that help shows without --all.
constexpr std::string_view common =
    "--size --batch --max-queue-size --workers --cache --memory-budget --shuffle --steps --epochs "
    "--consumer-ms --on-fault --exclude --target-readiness --model --fit --json --html --quiet "
    "--list-bad --each --all --optimizer --micro-batch --ranks --resume --save-progress --out";

/// The first sentence, and the default.
std::string brief(const std::string& help) {
  const auto stop = help.find(". ");
  if (stop == help.npos) return help;
  return help.substr(0, stop + 1) + (help.ends_with(']') ? help.substr(help.rfind(" [")) : "");
}

std::string left_of(const CLI::Option& option) {
  return option.get_positional()
             ? fmt::format("  {} {}", option.get_name(true), option.get_type_name())
             : "  " + form_of(option);
}

std::string top_help() {
  std::string out =
      "Image batches through a bounded queue, every byte and sample counted.\n\n"
      "Usage: weir COMMAND [OPTIONS]\n\nCommands:\n";
  for (const auto& row : rows) out += fmt::format("  {:<12}{}\n", row.name, row.summary);
  return out +
         "\nweir help COMMAND lists the options of a command. weir --version prints the version.\n";
}

/// The options and examples of one command. Without `all`, only the common options.
std::string help_text(const CLI::App& app, const CommandRow& row, bool all) {
  const auto& command = *app.get_subcommand(row.name);
  auto out = fmt::format("{}\n\nUsage: weir {} [OPTIONS]", row.summary, row.name);
  std::string group, options;
  bool some_left_out = false;
  for (const auto* option : shown_options(command)) {
    if (option->get_positional()) {
      const auto name = option->get_name(true);
      const bool needed = option->get_required() || row.command == Command::pack;
      out += ' ' + (needed ? name : '[' + name + ']');
    }
    if (!all && !option->get_positional() && option->get_group() != pack_heading &&
        !lists(common, option->get_name())) {
      some_left_out = true;
      continue;
    }
    const auto heading = all || option->get_positional() ? option->get_group() : "Options";
    if (std::exchange(group, heading) != heading) options += fmt::format("\n{}:\n", heading);
    constexpr std::size_t width = 28;
    auto left = left_of(*option);
    if (left.size() + 2 > width) options += std::exchange(left, "") + '\n';
    const auto& help = option->get_description();
    options += fmt::format("{:<{}}{}\n", left, width, all ? help : brief(help));
  }
  out += '\n' + options;
  if (some_left_out)
    out +=
        fmt::format("\nThese are the common options. `weir help {} --all` lists all.\n", row.name);
  out += "\nExamples:\n";
  for (const auto* example : row.examples) out += fmt::format("  {}\n", example);
  return out;
}

[[noreturn]] void refuse(const std::string& why, std::string_view command) {
  throw Refusal{
      2, fmt::format("weir: {}\n`weir help{}{}` lists the {}.\n", why, command.empty() ? "" : " ",
                     command, command.empty() ? "commands" : "options")};
}

const CommandRow& row_of(std::string_view name) {
  const auto* const row = std::ranges::find(
      rows, name, [](const CommandRow& each) { return std::string_view(each.name); });
  if (row != std::end(rows)) return *row;
  std::vector<std::string> names;
  for (const auto& each : rows) names.emplace_back(each.name);
  const auto near = closest(name, names);
  refuse(fmt::format("there is no command '{}'{}", name,
                     near.empty() ? "" : fmt::format("; did you mean {}?", near)),
         "");
}

/// The completions of the last of `words` for a shell. Each line has a completion, a tab and its
/// description. Empty if the word is a file name.
std::string completions(const CLI::App& app, std::span<const std::string> words) {
  std::string out;
  const auto offer = [&](std::string_view word, std::string_view meaning) {
    if (word.starts_with(words.back())) out += fmt::format("{}\t{}\n", word, meaning);
  };
  if (words.size() == 2 || (words.size() == 3 && words[1] == "help"))
    for (const auto& row : rows) offer(row.name, row.summary);
  for (const auto* command : app.get_subcommands({})) {
    if (words.size() < 3 || command->get_name() != words[1]) continue;
    const auto* const before = command->get_option_no_throw(words[words.size() - 2]);
    const auto form = before != nullptr ? before->get_type_name() : "";
    if (!form.empty())
      for (const auto value : split(form, '|')) {
        const auto word = value.substr(0, value.find('['));
        constexpr auto plain = "abcdefghijklmnopqrstuvwxyz0123456789-";
        if (word != "-" && word.find_first_not_of(plain) == word.npos) offer(word, "");
      }
    else if (words.back().starts_with('-'))
      for (const auto* option : shown_options(*command))
        if (!option->get_positional()) offer(option->get_name(), option->get_description());
  }
  return out;
}

/// The words with those of the file of --config behind the command. Options that are typed replace those of
/// the file, and those of the command's section the general ones.
std::vector<std::string> with_config(std::vector<std::string> words, const CLI::App& command) {
  const auto& command_name = command.get_name();
  const auto path = typed("--config", words);
  if (path.empty() || command.get_option_no_throw("--config") == nullptr) return words;
  const auto wrong = [&](const std::string& what) {
    refuse(fmt::format("--config {}: {}", as_typed(path), what), command_name);
  };
  const auto is_replaced = [&words](const std::string& name) {
    return std::ranges::any_of(words, [&](const std::string& word) {
      const auto typed_name = word.substr(0, word.find('='));
      return typed_name == name ||
             (!word.ends_with("=false") && exclude_each_other(typed_name, name));
    });
  };
  const auto words_for = [&](const ConfigItem& item) -> std::vector<std::string> {
    const auto name = "--" + item.name;
    const auto* const option = command.get_option_no_throw(name);
    if (option == nullptr)
      wrong(fmt::format("weir {} has no {}{}", command_name, as_typed(name),
                        instead_of(name, command)));
    if (name == "--config") wrong("a file of options cannot name another one");
    if (item.values.empty() || std::ranges::count(item.values, "") > 0) wrong(needs_value(*option));
    if (is_replaced(name)) return {};
    if (option->get_expected_max() <= 1)
      return {fmt::format("{}={}", name, fmt::join(item.values, ","))};
    std::vector<std::string> each;
    for (const auto& value : item.values) each.push_back(name + '=' + value);
    return each;
  };
  try {
    constexpr std::uint64_t most_bytes = 1 << 20;
    auto sections = read_config(read_text_file(path, most_bytes));
    for (const auto& [section, items] : sections)
      if (!section.empty() && std::ranges::count(rows, section, &CommandRow::name) == 0)
        wrong(fmt::format("[{}] is no command; a section has the name of one, as in [run]",
                          as_typed(section)));
    for (const auto& items : {sections[command_name], sections[""]}) {
      std::vector<std::string> more;
      for (const auto& item : items) std::ranges::copy(words_for(item), std::back_inserter(more));
      words.insert(words.begin() + 1, more.begin(), more.end());
    }
  } catch (const std::exception& e) {
    throw std::runtime_error(fmt::format("--config {}: {}", as_typed(path), e.what()));
  }
  return words;
}

/// CLI11 would take the word behind "--name=" as its value.
void check_values(const std::vector<std::string>& words, const CLI::App& command) {
  for (const auto& word : std::span(words.begin(), std::ranges::find(words, "--"))) {
    if (!word.starts_with("--") || word.find('=') + 1 != word.size()) continue;
    const auto* const option = command.get_option_no_throw(word.substr(0, word.size() - 1));
    if (option != nullptr) refuse(needs_value(*option), command.get_name());
  }
}

/// The words without flags that are false, as if they were not given. Beside --options they stay where they
/// replace what it says.
std::vector<std::string> without_false(std::vector<std::string> words, const CLI::App& command) {
  const auto end = std::ranges::find(words, "--");
  const auto count = [begin = words.begin(), end](const std::string& name) {
    return std::count_if(begin, end, [&](const std::string& word) {
      return word == name || word.starts_with(name + '=');
    });
  };
  const bool replaces = count("--options") > 0;
  const auto is_off = [&](const std::string& word) {
    const auto name = word.substr(0, word.find('='));
    const auto* const option =
        word == name + "=false" ? command.get_option_no_throw(name) : nullptr;
    return option != nullptr && option->get_type_name().empty() && count(name) == 1 &&
           (!replaces || name == "--shuffle");
  };
  std::vector<std::string> rest;
  std::copy_if(words.begin(), end, std::back_inserter(rest), std::not_fn(is_off));
  rest.insert(rest.end(), end, words.end());
  return rest;
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

std::span<const CommandRow> commands() noexcept { return rows; }

std::string_view name_of(Command command) noexcept {
  return std::ranges::find(rows, command, &CommandRow::command)->name;
}

Settings parse(const std::vector<std::string>& words) {
  Settings settings;
  CLI::App app("", "weir");
  if (words.empty()) refuse("which command?", "");
  add_commands(app, settings, words);
  if (words.front() == "complete") throw Refusal{0, completions(app, words)};
  auto arguments = words;
  if (!words.front().starts_with('-')) {
    const auto& command = *app.get_subcommand(row_of(words.front()).name);
    check_values(words, command);
    arguments = without_false(with_config(words, command), command);
  }
  const auto parsed = [&]() -> const CLI::App* {
    const auto used = app.get_subcommands();
    return used.empty() ? nullptr : used.front();
  };
  try {
    app.parse(std::vector(arguments.rbegin(), arguments.rend()));  // CLI11 expects reverse order
  } catch (const CLI::CallForHelp&) {
    throw Refusal{0, parsed() ? help_text(app, row_of(parsed()->get_name()), false) : top_help()};
  } catch (const CLI::CallForVersion&) {
    throw Refusal{0, fmt::format("weir {}\n", version)};
  } catch (const CLI::ParseError& e) {
    auto what = usage_error(e, parsed(), arguments);
    const auto option = what.substr(0, what.find(' '));
    if (typed(option, words) != typed(option, arguments))
      what = fmt::format("--config {}: {}", as_typed(typed("--config", words)), what);
    refuse(what, parsed() ? parsed()->get_name() : "");
  }
  if (settings.command == Command::help)
    throw Refusal{0, settings.data.empty() ? top_help()
                                           : help_text(app, row_of(settings.data), settings.each)};
  const auto name = parsed()->get_name();
  if (settings.command == Command::pack && !settings.pack.files_to.empty()) {
    settings.pack.out = settings.pack.files_to;
  } else if (settings.command == Command::pack) {
    if (settings.words.size() < 2) refuse("weir pack takes DATA and OUT", name);
    settings.pack.out = std::move(settings.words.back());
    settings.words.pop_back();
  }
  if (settings.words.size() > 1 && settings.command != Command::index)
    for (std::size_t i = 1; i < settings.words.size(); ++i)
      if (!settings.words[i].ends_with(".tar"))
        refuse(fmt::format("weir {} takes one DATA, or several tar shards; {} is a second one",
                           name, as_typed(settings.words[i])),
               name);
  if (!settings.words.empty()) settings.data = fmt::format("{}", fmt::join(settings.words, " "));
  settings.arguments = arguments;
  apply_rules(*parsed(), settings);
  try {
    check_fill(typed("--fill", arguments), settings.options.pixels);
  } catch (const std::invalid_argument& e) {
    throw misuse("{}: {}", typed_option("--fill", arguments), e.what());
  }
  return settings;
}

}  // namespace weir::cli
