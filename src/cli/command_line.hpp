#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/settings.hpp"

namespace weir::cli {

/// A command, what it is for, and three command lines that show it.
struct CommandRow {
  Command command;
  const char *name, *summary;
  const char* examples[3];
};
std::span<const CommandRow> commands() noexcept;

/// The candidate that `word` is a slip of: a letter or two are other, or missing. Empty: none.
std::string closest(std::string_view word, std::span<const std::string> candidates);

}  // namespace weir::cli
