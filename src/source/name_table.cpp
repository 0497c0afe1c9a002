#include "source/name_table.hpp"

#include <algorithm>
#include <cstring>

namespace weir::source {

void NameTable::add(std::string_view directory, std::string_view name) {
  starts_.push_back(text_.size());
  text_.insert(text_.end(), directory.begin(), directory.end());
  text_.insert(text_.end(), name.begin(), name.end());
  text_.push_back('\0');
}

void NameTable::finish() {
  std::sort(starts_.begin(), starts_.end(), [this](std::uint64_t a, std::uint64_t b) {
    return std::strcmp(text_.data() + a, text_.data() + b) < 0;
  });
  text_.shrink_to_fit();
  starts_.shrink_to_fit();
}

std::uint64_t held_bytes(const std::string& text) noexcept {
  const bool within = text.capacity() <= std::string().capacity();
  return within ? 0 : text.capacity() + 1;
}

std::uint64_t held_bytes(const std::vector<std::string>& strings) noexcept {
  std::uint64_t bytes = strings.capacity() * sizeof(std::string);
  for (const auto& text : strings) bytes += held_bytes(text);
  return bytes;
}

}  // namespace weir::source
