#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/settings.hpp"
#include "options/option_row.hpp"
#include "weir/error.hpp"

namespace weir::cli {

/// The options that `pack` is about.
inline constexpr auto pack_heading = "What is stored";

/// Adds the options to `command`. `settings` must outlive it.
void add_options(CLI::App& command, Command which, Settings& settings);

/// Applies the rules for combinations of options, after the options were read. Throws Refusal if
/// options contradict each other.
void apply_rules(const CLI::App& command, Settings& settings);

/// The options of a command that help and completions show.
std::vector<const CLI::Option*> shown_options(const CLI::App& command);

/// The candidate that is most similar to `word`. At most two letters, or a quarter of the letters of a
/// long word, may differ. Empty if there is none.
std::string closest(std::string_view word, std::span<const std::string> candidates);

/// Options of one command under one heading of the help. Options that do not belong to the command are
/// not added. A usage error names the option and its value.
class OptionGroup {
 public:
  /// An empty heading hides the options.
  OptionGroup(CLI::App& app, Command command, std::string heading)
      : app_(app), command_(command), heading_(std::move(heading)) {}

  void flag(const std::string& name, bool& target, const std::string& help) const {
    if (!belongs_to(name, command_)) return;
    const auto check = [name](const std::string& text) {
      return text == "true" || text == "false"
                 ? std::string()
                 : "takes no value; write " + name + ", or " + name + "=false";
    };
    app_.add_flag(name, target, help)->check(check)->group(heading_);
  }

  /// `setter` gets the text of the value. It throws std::invalid_argument if the text is wrong. The
  /// help shows `form`.
  using Setter = std::function<void(const std::string&)>;
  void text(const std::string& name, const std::string& form, const Setter& setter,
            const std::string& help) const {
    if (!belongs_to(name, command_)) return;
    app_.add_option_function<std::string>(name, reader(name, form, setter), help)
        ->type_name(form)
        ->take_last()
        ->group(heading_);
  }
  /// The same for an option that counts each time it is given. `setter` gets one value at a time.
  void texts(const std::string& name, const std::string& form, const Setter& setter,
             const std::string& help) const {
    if (!belongs_to(name, command_)) return;
    const auto each = [read = reader(name, form, setter)](const std::vector<std::string>& texts) {
      for (const auto& text : texts) read(text);
    };
    app_.add_option_function<std::vector<std::string>>(name, each, help)
        ->type_name(form)
        ->allow_extra_args(false)
        ->group(heading_);
  }

  /// The options for these members of Options, as their rows say.
  void rows(std::initializer_list<std::string_view> members, Options& target) const {
    for (const auto member : members) {
      const auto& row = *options::find(member);
      this->row(row, target, row.text(row, {}));
    }
  }
  /// One of them, with a default of the program.
  void row(const options::Row& row, Options& target, const std::string& by_default) const {
    text(
        std::string(row.option), options::help_form(row),
        [&row, &target](const std::string& t) { row.read(row, t, target); },
        std::string(row.meaning) + " [" + by_default + "]");
  }
  /// The same for one that is a flag.
  void flag(std::string_view member, bool& target) const {
    const auto& row = *options::find(member);
    flag(std::string(row.option), target, std::string(row.meaning));
  }

  /// `target` gets the result of `parse`.
  template <class T, class Parse>
  void value(const std::string& name, const std::string& form, T& target, Parse parse,
             const std::string& help) const {
    text(
        name, form, [&target, parse](const std::string& t) { target = parse(t); }, help);
  }
  void word(const std::string& name, const std::string& form, std::string& target,
            const std::string& help) const {
    const auto read = [](const std::string& t) {
      if (t.empty()) throw std::invalid_argument("must not be empty");
      return t;
    };
    value(name, form, target, read, help);
  }
  /// A whole number, 0 or more.
  template <class T>
  void number(const std::string& name, std::optional<T>& target, const std::string& help) const {
    whole(name, target, 0, help);
  }
  template <class T>
  void positive(const std::string& name, std::optional<T>& target, const std::string& help) const {
    whole(name, target, 1, help);
  }

  /// `target` gets the value of the word in `parts`.
  template <class T>
  void choice(const std::string& name, T& target, std::vector<std::pair<std::string_view, T>> parts,
              const std::string& help) const {
    std::string form;
    for (const auto& word : parts) form += (form.empty() ? "" : "|") + std::string(word.first);
    const auto choose = [form, parts = std::move(parts)](const std::string& text) {
      for (const auto& [word, value] : parts)
        if (word == text) return value;
      throw std::invalid_argument("must be one of " + form);
    };
    value(name, form, target, choose, help);
  }
  /// The same for an enumeration. `names` has all enumerators in their order.
  template <class T>
  void enumerators(const std::string& name, T& target, std::initializer_list<const char*> names,
                   const std::string& help) const {
    std::vector<std::pair<std::string_view, T>> parts;
    for (const auto* word : names) parts.emplace_back(word, static_cast<T>(parts.size()));
    choice(name, target, std::move(parts), help);
  }

 private:
  /// Calls `setter`, and names the option and the value in its errors.
  static Setter reader(const std::string& name, const std::string& form, const Setter& setter) {
    return [name, form, setter](const std::string& text) {
      const auto given = name + ' ' + as_typed(text);
      try {
        if (text.starts_with("--"))
          throw std::invalid_argument("an option is not a value; write " + name + ' ' + form +
                                      (form.starts_with("FILE") ? ", as in ./" + text : ""));
        setter(text);
      } catch (const std::invalid_argument& e) {
        throw CLI::ValidationError(given, e.what());
      } catch (const std::system_error& e) {
        if (e.code() == Errc::bad_options) throw CLI::ValidationError(given, e.what());
        // A file that cannot be read. The command line is not wrong.
        throw std::runtime_error(given + ": " + e.what());
      }
    };
  }

  template <class T>
  void whole(const std::string& name, std::optional<T>& target, std::uint64_t least,
             const std::string& help) const {
    const Bounds bounds{least, std::numeric_limits<T>::max()};
    value(
        name, "N", target,
        [bounds](const std::string& t) { return static_cast<T>(parse_whole(t, bounds)); }, help);
  }

  CLI::App& app_;
  const Command command_;
  const std::string heading_;
};

}  // namespace weir::cli
