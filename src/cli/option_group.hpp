#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/words.hpp"

namespace weir::cli {

/// Options of one command that the help shows under one heading. A usage error names the option and
/// what it was given.
class OptionGroup {
 public:
  /// An empty heading hides them.
  OptionGroup(CLI::App& command, std::string heading)
      : command_(command), heading_(std::move(heading)) {}

  void flag(const std::string& name, bool& target, const std::string& help) {
    command_.add_flag(name, target, help)->group(heading_);
  }

  /// A whole number, 0 or more.
  template <class T>
  void number(const std::string& name, T& target, const std::string& help) {
    text(
        name, "N", [&target](const std::string& t) { target = parse_whole<T>(t); }, help);
  }
  template <class T>
  void positive(const std::string& name, T& target, const std::string& help) {
    text(
        name, "N",
        [&target](const std::string& t) {
          target = parse_whole<T>(t);
          if (target == 0) throw std::invalid_argument("must be 1 or more, not 0");
        },
        help);
  }
  void milliseconds(const std::string& name, double& target, const std::string& help) {
    text(
        name, "X", [&target](const std::string& t) { target = parse_milliseconds(t); }, help);
  }

  /// `setter` reads the text, which is written like `form`, and throws std::invalid_argument. Given
  /// twice, the last one counts.
  template <class Setter>
  void text(const std::string& name, const std::string& form, Setter setter,
            const std::string& help) {
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

  /// One of a few words.
  template <class T>
  void choice(const std::string& name, T& target, std::vector<std::pair<std::string_view, T>> words,
              const std::string& help) {
    std::string form;
    for (const auto& word : words) form += (form.empty() ? "" : "|") + std::string(word.first);
    const auto choose = [&target, form, words = std::move(words)](const std::string& text) {
      for (const auto& [word, value] : words) {
        if (word != text) continue;
        target = value;
        return;
      }
      throw std::invalid_argument("'" + text + "' is not one of " + form);
    };
    this->text(name, form, choose, help);
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
};

}  // namespace weir::cli
