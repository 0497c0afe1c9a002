#include "cli/config_file.hpp"

#include <fmt/format.h>

#include <stdexcept>

#define TOML_HEADER_ONLY 1  // the program needs no shared library for it
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/impl/preprocessor.h>
// Texts as "[.]" fail its assertions, and with NDEBUG some compilers assume that they hold. Without them, each
// is a parse error.
#undef TOML_ASSERT
#undef TOML_ASSERT_ASSUME
#define TOML_ASSERT(expr) static_cast<void>(0)
#define TOML_ASSERT_ASSUME(expr) static_cast<void>(0)
#include <toml++/toml.h>

namespace weir::cli {
namespace {

[[noreturn]] void refuse(const toml::source_region& at, std::string_view why) {
  throw std::runtime_error(fmt::format("line {}: {}", at.begin.line, why));
}

std::string value_of(const toml::node& node) {
  if (const auto* const text = node.as_string()) {
    if (text->get().find('\0') != std::string::npos)
      refuse(node.source(), "a value has a NUL byte");
    return text->get();
  }
  if (const auto* const number = node.as_integer()) return fmt::format("{}", number->get());
  // The fewest digits that give the same number.
  if (const auto* const number = node.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* const flag = node.as_boolean()) return fmt::format("{}", flag->get());
  refuse(node.source(), "a value is a string, a number, true, false or an array of these");
}

ConfigItem item_of(const toml::key& key, const toml::node& node) {
  ConfigItem item{std::string(key.str()), {}};
  const auto* const values = node.as_array();
  if (values == nullptr)
    item.values.push_back(value_of(node));
  else
    for (const auto& value : *values) item.values.push_back(value_of(value));
  return item;
}

}  // namespace

std::map<std::string, std::vector<ConfigItem>> read_config(const std::string& text) try {
  std::map<std::string, std::vector<ConfigItem>> sections;
  for (const auto& [key, node] : toml::parse(text)) {
    const auto* const section = node.as_table();
    if (section == nullptr) {
      sections[""].push_back(item_of(key, node));
      continue;
    }
    auto& items = sections[std::string(key.str())];
    for (const auto& [name, value] : *section) items.push_back(item_of(name, value));
  }
  return sections;
} catch (const toml::parse_error& e) {
  refuse(e.source(), fmt::format("{}; texts, as \"8x8\", and numbers of 2^63 or more need quotes",
                                 e.description()));
}

}  // namespace weir::cli
