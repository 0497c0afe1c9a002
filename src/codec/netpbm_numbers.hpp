#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/defect.hpp"
#include "codec/bytes.hpp"

namespace weir::codec {

/// Reads the numbers in the header of a PNM, which is text after two bytes of signature. Linear and
/// bounded.
class NetpbmNumbers {
 public:
  explicit NetpbmNumbers(Bytes pnm) noexcept : pnm_(pnm) {}

  /// The next number, which a blank must follow.
  Result<std::uint32_t> next() {
    while (is_space(here()) || here() == '#') {
      const bool comment = here() == '#';
      ++at_;
      while (comment && here() != '\n' && here() != '\r') {
        if (!here()) return no_end();
        ++at_;
      }
    }
    if (!here()) return no_end();
    if (!is_digit(here())) return corrupt("PNM header without its numbers");
    std::uint32_t value = 0;
    while (is_digit(here())) {
      value = value * 10 + (*here() - '0');
      ++at_;
      if (value > 0x7fffffff / 10) return corrupt("PNM header with a number too large");
    }
    if (!here()) return no_end();
    // Some readers skip any character after a number, even the start of a comment.
    if (!is_space(here())) return corrupt("PNM header without a blank behind a number");
    return value;
  }
  /// Offset of the blank after the last number.
  std::size_t end() const noexcept { return at_; }

 private:
  static constexpr std::size_t signature_bytes = 2, max_header_bytes = 64 << 10;

  static bool is_space(std::optional<std::uint8_t> byte) noexcept {
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
  }
  static bool is_digit(std::optional<std::uint8_t> byte) noexcept {
    return byte >= '0' && byte <= '9';
  }
  /// The next byte. Empty at the end.
  std::optional<std::uint8_t> here() const noexcept {
    if (at_ >= pnm_.size() || at_ >= max_header_bytes) return std::nullopt;
    return pnm_.u8(at_);
  }
  Defect corrupt(const char* reason) const {
    return {FaultKind::corrupt, Stage::decode, reason, at_};
  }
  Defect no_end() const {
    if (at_ >= pnm_.size())
      return {FaultKind::truncated, Stage::decode, "cut inside the PNM header", pnm_.size()};
    return {FaultKind::limit, Stage::decode, "PNM header without an end"};
  }

  Bytes pnm_;
  std::size_t at_ = signature_bytes;
};

}  // namespace weir::codec
