#include "source/name_table.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "weir/error.hpp"

namespace weir::source {

auto NameTable::in_byte_order(const std::stop_token& stop) const noexcept {
  return [text = text_.data(), &stop](std::uint64_t a, std::uint64_t b) {
    // Sorting ten million names takes seconds.
    if (stop.stop_requested()) throw Error(Errc::source_failed, Stage::read, "stopped");
    return std::strcmp(text + a, text + b) < 0;
  };
}

void NameTable::add(std::string_view directory, std::string_view name) {
  const auto start = text_.size();
  text_.insert(text_.end(), directory.begin(), directory.end());
  text_.insert(text_.end(), name.begin(), name.end());
  text_.push_back('\0');
  // Done last: if an earlier step runs out of memory, no entry refers to an incomplete name.
  starts_.push_back(start);
}

void NameTable::finish(const std::stop_token& stop) {
  std::sort(starts_.begin(), starts_.end(), in_byte_order(stop));
}

void NameTable::merge(NameTable&& other, const std::stop_token& stop) {
  if (starts_.empty()) {
    std::swap(text_, other.text_);
    std::swap(starts_, other.starts_);
    return;
  }
  const auto shift = text_.size();
  const auto mine = static_cast<std::ptrdiff_t>(starts_.size());
  text_.insert(text_.end(), other.text_.begin(), other.text_.end());
  std::exchange(other.text_, {});
  starts_.reserve(starts_.size() + other.starts_.size());
  for (const auto start : other.starts_) starts_.push_back(shift + start);
  std::exchange(other.starts_, {});
  std::inplace_merge(starts_.begin(), starts_.begin() + mine, starts_.end(), in_byte_order(stop));
}

void NameTable::shrink() {
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
