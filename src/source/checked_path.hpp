#pragma once

#include <string>

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

}  // namespace weir::source
