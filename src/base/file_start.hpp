#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <span>
#include <string_view>

namespace weir {

/// Reads the start of a small file, such as those of /proc, into `into`. Empty if it cannot be read.
/// Allocates nothing.
inline std::string_view file_start(const char* path, std::span<char> into) noexcept {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const auto bytes = read(file, into.data(), into.size());
  close(file);
  return bytes > 0 ? std::string_view(into.data(), static_cast<std::size_t>(bytes))
                   : std::string_view();
}

}  // namespace weir
