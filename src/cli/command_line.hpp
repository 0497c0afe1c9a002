#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/settings.hpp"

namespace weir::cli {

/// A command, its summary and three example command lines.
struct CommandRow {
  Command command;
  const char *name, *summary;
  const char* examples[3];
};
std::span<const CommandRow> commands() noexcept;

/// The candidate that is most similar to `word`. At most two letters, or a quarter of the letters of a
/// long word, may differ. Empty if there is none.
std::string closest(std::string_view word, std::span<const std::string> candidates);

}  // namespace weir::cli
