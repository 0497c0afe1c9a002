#pragma once

#include <string_view>

namespace weir::source {

/// Whether a line of a list with TABs says nothing: an empty one, or a comment, which begins with '#' and
/// has no TAB. With a TAB it is the line of a file whose name begins so.
constexpr bool is_comment(std::string_view line) noexcept {
  return line.empty() || (line.front() == '#' && line.find('\t') == line.npos);
}

}  // namespace weir::source
