#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>

#include "base/text.hpp"

namespace weir {

/// Formats as std::snprintf does. At most 255 bytes.
template <class... Values>
std::string format(const char* pattern, Values... values) {
  std::array<char, 256> text{};
  std::snprintf(text.data(), text.size(), pattern, values...);
  return text.data();
}

/// Throws Error{bad_options}.
template <class... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
  refuse(Stage::wait, parts...);
}

/// For example "64.0 MiB".
inline std::string mebibytes(std::uint64_t bytes) {
  return format("%.1f MiB", static_cast<double>(bytes) / static_cast<double>(1u << 20));
}

}  // namespace weir
