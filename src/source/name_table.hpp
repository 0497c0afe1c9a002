#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weir::source {

/// Many names in two allocations: 9 bytes a name beyond its characters. Names hold no NUL.
/// Reads from any thread once it is built.
class NameTable {
 public:
  void add(std::string_view directory, std::string_view name);
  /// Puts the names into byte order.
  void finish();
  /// Takes the other's names in; both are in byte order before, and this one after.
  void merge(NameTable&& other);
  /// Gives spare capacity back.
  void shrink();

  std::uint64_t size() const noexcept { return starts_.size(); }
  const char* operator[](std::uint64_t i) const noexcept { return text_.data() + starts_[i]; }
  /// Heap bytes held.
  std::uint64_t bytes() const noexcept {
    return text_.capacity() + starts_.capacity() * sizeof(std::uint64_t);
  }

 private:
  auto in_byte_order() const noexcept;

  std::vector<char> text_;  ///< names, each with a NUL behind it
  std::vector<std::uint64_t> starts_;
};

/// Bytes a list of strings holds, its own storage and that of strings too long to lie within.
std::uint64_t held_bytes(const std::vector<std::string>& strings) noexcept;
/// Heap bytes of one string.
std::uint64_t held_bytes(const std::string& text) noexcept;

}  // namespace weir::source
