#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <utility>

namespace weir::cli {

/// To stderr. Where that is full or closed nobody can be told, and no run fails for it.
template <class... T>
void say(fmt::format_string<T...> format, T&&... arguments) {
  const auto text = fmt::format(format, std::forward<T>(arguments)...);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace weir::cli
