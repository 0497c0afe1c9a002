#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/settings.hpp"
#include "report/bytes.hpp"

namespace weir::cli {

/// Adds the options to `command`. `settings` must outlive it.
void add_options(CLI::App& command, Command which, Settings& settings);

/// Applies the rules for combinations of options, after the options were read. Throws Refusal if
/// options contradict each other.
void apply_rules(const CLI::App& command, Settings& settings);

/// Options of one command under one heading of the help. A usage error names the option and its value.
/// If an option is given twice, the last value counts.
class OptionGroup {
 public:
  /// An empty heading hides the options. If `active` is false, no option is added.
  OptionGroup(CLI::App& command, std::string heading, bool active = true)
      : command_(command), heading_(std::move(heading)), active_(active) {}

  /// The same group for options that only some commands have.
  OptionGroup when(bool active) const { return {command_, heading_, active_ && active}; }

  void flag(const std::string& name, bool& target, const std::string& help) const {
    if (active_) command_.add_flag(name, target, help)->group(heading_);
  }

  /// `setter` gets the text of the value. It throws std::invalid_argument if the text is wrong. The
  /// help shows `form`.
  using Setter = std::function<void(const std::string&)>;
  void text(const std::string& name, const std::string& form, const Setter& setter,
            const std::string& help) const {
    if (!active_) return;
    const auto read = [name, setter](const std::string& text) {
      try {
        setter(text);
      } catch (const std::invalid_argument& e) {
        throw CLI::ValidationError(name, e.what());
      }
    };
    command_.add_option_function<std::string>(name, read, help)
        ->type_name(form)
        ->take_last()
        ->group(heading_);
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
    value(name, form, target, std::identity(), help);
  }
  void milliseconds(const std::string& name, double& target, const std::string& help) const {
    value(name, "X", target, parse_milliseconds, help);
  }
  /// A size such as 64MiB, 0 or more.
  template <class T>
  void bytes(const std::string& name, T& target, const std::string& help) const {
    value(name, "BYTES", target, report::parse_bytes, help);
  }
  /// A whole number, 0 or more.
  template <class T>
  void number(const std::string& name, T& target, const std::string& help) const {
    value(name, "N", target, parse_whole<T>, help);
  }
  template <class T>
  void positive(const std::string& name, T& target, const std::string& help) const {
    value(
        name, "N", target, [](const std::string& t) { return at_least_1(parse_whole<T>(t)); },
        help);
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
      refuse_word(text, "is not one of " + form);
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
  template <class T>
  struct Whole {
    using type = T;
  };
  template <class T>
  struct Whole<std::optional<T>> {
    using type = T;
  };
  template <class T>
  static auto parse_whole(const std::string& text) {
    return parse_number<typename Whole<T>::type>(text, "a whole number, or too large a one");
  }

  CLI::App& command_;
  std::string heading_;
  bool active_;
};

}  // namespace weir::cli
