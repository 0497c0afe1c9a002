#pragma once

#include <span>

#include "cli/settings.hpp"

namespace weir::cli {

/// A command, its summary and three example command lines.
struct CommandRow {
  Command command;
  const char *name, *summary;
  const char* examples[3];
};
std::span<const CommandRow> commands() noexcept;

}  // namespace weir::cli
