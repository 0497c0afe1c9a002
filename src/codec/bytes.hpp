#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace weir::codec {

/// Reads encoded bytes as numbers. Reads are unchecked, so call has() first.
class Bytes {
 public:
  explicit constexpr Bytes(std::span<const std::byte> data) noexcept : data_(data) {}

  constexpr std::size_t size() const noexcept { return data_.size(); }
  constexpr std::span<const std::byte> span() const noexcept { return data_; }
  constexpr bool has(std::uint64_t offset, std::uint64_t count) const noexcept {
    return offset <= data_.size() && count <= data_.size() - offset;
  }
  constexpr Bytes part(std::size_t offset, std::size_t count) const noexcept {
    return Bytes(data_.subspan(offset, count));
  }

  constexpr std::uint8_t u8(std::size_t i) const noexcept {
    return std::to_integer<std::uint8_t>(data_[i]);
  }
  constexpr std::uint32_t be16(std::size_t i) const noexcept {
    return (std::uint32_t{u8(i)} << 8) | u8(i + 1);
  }
  constexpr std::uint32_t le16(std::size_t i) const noexcept {
    return (std::uint32_t{u8(i + 1)} << 8) | u8(i);
  }
  constexpr std::uint32_t be32(std::size_t i) const noexcept {
    return (be16(i) << 16) | be16(i + 2);
  }
  constexpr std::uint32_t le32(std::size_t i) const noexcept {
    return (le16(i + 2) << 16) | le16(i);
  }
  constexpr std::uint32_t le24(std::size_t i) const noexcept {
    return (std::uint32_t{u8(i + 2)} << 16) | le16(i);
  }

  std::string_view text(std::size_t offset, std::size_t count) const noexcept {
    return {reinterpret_cast<const char*>(data_.data()) + offset, count};
  }
  bool matches(std::size_t offset, std::string_view wanted) const noexcept {
    return has(offset, wanted.size()) && text(offset, wanted.size()) == wanted;
  }

 private:
  std::span<const std::byte> data_;
};

}  // namespace weir::codec
