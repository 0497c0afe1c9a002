#pragma once

#include <span>
#include <string_view>

#include "cli/settings.hpp"

namespace weir::cli {

/// A command, its summary and three example command lines.
struct CommandRow {
  Command command;
  const char *name, *summary;
  const char* examples[3];
};
std::span<const CommandRow> commands() noexcept;
/// The name of the command, as the user types it.
std::string_view name_of(Command command) noexcept;

}  // namespace weir::cli
