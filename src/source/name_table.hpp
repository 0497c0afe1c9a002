#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace weir::source {

/// Many names in two allocations. A name needs 9 bytes besides its characters. Names contain no
/// NUL. Reads are thread-safe once the table is complete.
class NameTable {
 public:
  void add(std::string_view directory, std::string_view name);
  /// Sorts the names in byte order. Throws Error{source_failed} when `stop` is requested.
  void finish(const std::stop_token& stop = {});
  /// Adds the names of `other`. Both must be sorted; the result is sorted. Throws as finish().
  void merge(NameTable&& other, const std::stop_token& stop = {});
  /// Frees spare capacity.
  void shrink();

  std::uint64_t size() const noexcept { return starts_.size(); }
  const char* operator[](std::uint64_t i) const noexcept { return text_.data() + starts_[i]; }
  /// Heap bytes.
  std::uint64_t bytes() const noexcept {
    return text_.capacity() + starts_.capacity() * sizeof(std::uint64_t);
  }

 private:
  auto in_byte_order(const std::stop_token& stop) const noexcept;

  std::vector<char> text_;  ///< names, each followed by NUL
  std::vector<std::uint64_t> starts_;
};

/// Heap bytes of a list of strings, long strings included.
std::uint64_t held_bytes(const std::vector<std::string>& strings) noexcept;
/// Heap bytes of one string.
std::uint64_t held_bytes(const std::string& text) noexcept;

}  // namespace weir::source
