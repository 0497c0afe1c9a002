#pragma once

#include <CLI/CLI.hpp>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

  template <class T>
  void number(const std::string& name, T& target, const std::string& help) {
    command_.add_option(name, target, help)->type_name("N")->group(heading_);
  }
  template <class T>
  void positive(const std::string& name, T& target, const std::string& help) {
    const auto above_zero = [](const std::string& text) {
      return text.starts_with('-') || text == "0" ? "must be 1 or more, not " + text : "";
    };
    command_.add_option(name, target, help)->check(above_zero)->type_name("N")->group(heading_);
  }
  void milliseconds(const std::string& name, double& target, const std::string& help) {
    const auto not_negative = [](const std::string& text) {
      return text.starts_with('-') ? "must not be negative: " + text : "";
    };
    command_.add_option(name, target, help)->check(not_negative)->type_name("X")->group(heading_);
  }

  /// `setter` reads the text, which is written like `form`, and throws std::invalid_argument.
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
    command_.add_option_function<std::string>(name, read, help)->type_name(form)->group(heading_);
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
  CLI::App& command_;
  std::string heading_;
};

}  // namespace weir::cli
