#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>

#include "weir/error.hpp"

namespace weir {

/// Text as std::snprintf makes it; at most 255 bytes.
template <class... Values>
std::string format(const char* pattern, Values... values) {
  std::array<char, 256> text{};
  std::snprintf(text.data(), text.size(), pattern, values...);
  return text.data();
}

/// Throws what options refuse to be.
[[noreturn]] inline void refuse(const std::string& what) {
  throw Error(Errc::bad_options, Stage::wait, what);
}

/// "64.0 MiB".
inline std::string mebibytes(std::uint64_t bytes) {
  return format("%.1f MiB", static_cast<double>(bytes) / static_cast<double>(1u << 20));
}

}  // namespace weir
