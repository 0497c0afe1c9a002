#pragma once

#include <string>
#include <string_view>

#include "base/sanitize.hpp"
#include "base/text.hpp"

namespace weir::source {

/// `path`. Throws Error{bad_options} if it has a NUL byte: the system would open what is before it.
/// `what` names the path in the message.
template <class... What>
const std::string& checked_path(const std::string& path, const What&... what) {
  if (path.find('\0') != path.npos)
    refuse(Stage::read, what..., " = ", sanitize(path), ": has a NUL byte");
  return path;
}

/// Whether a path is relative and has no "..". Not of an empty one.
inline bool is_below(std::string_view path) noexcept {
  if (path.empty() || path.starts_with('/')) return false;
  while (!path.empty())
    if (take_until(path, '/') == "..") return false;
  return true;
}

}  // namespace weir::source
