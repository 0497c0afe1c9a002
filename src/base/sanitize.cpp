#include "base/sanitize.hpp"

#include <cstddef>

namespace weir {
namespace {

bool continues(std::string_view text, std::size_t i) noexcept {
  return i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0u) == 0x80u;
}

/// Length of the well-formed UTF-8 sequence at `i`, or 0 if there is none (Unicode 15, table 3-7).
std::size_t sequence_length(std::string_view text, std::size_t i) noexcept {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned lead = byte(i);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4 || !continues(text, i + 1)) return 0;
  if (lead < 0xE0) return 2;
  const unsigned second = byte(i + 1);
  if (!continues(text, i + 2)) return 0;
  if (lead < 0xF0) {
    const bool overlong = lead == 0xE0 && second < 0xA0;
    const bool surrogate = lead == 0xED && second > 0x9F;
    return overlong || surrogate ? 0 : 3;
  }
  const bool overlong = lead == 0xF0 && second < 0x90;
  const bool beyond = lead == 0xF4 && second > 0x8F;
  return overlong || beyond || !continues(text, i + 3) ? 0 : 4;
}

/// C0, DEL and C1 characters: a terminal may execute them. Also what ends a line or turns its direction: U+200E,
/// U+200F, U+2028 to U+202E, U+2066 to U+2069.
bool is_control(std::string_view sequence) noexcept {
  const auto last = static_cast<unsigned char>(sequence.back());
  if (sequence.starts_with("\xE2\x80"))
    return (last >= 0xA8 && last <= 0xAE) || last == 0x8E || last == 0x8F;
  if (sequence.starts_with("\xE2\x81")) return last >= 0xA6 && last <= 0xA9;
  const auto lead = static_cast<unsigned char>(sequence[0]);
  if (sequence.size() == 1) return lead < 0x20 || lead == 0x7F;
  return sequence.size() == 2 && lead == 0xC2 && static_cast<unsigned char>(sequence[1]) < 0xA0;
}

constexpr char digits[] = "0123456789abcdef";

void append_hex(std::string& out, std::string_view bytes) {
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
  }
}

std::string sanitized(std::string_view text, std::size_t limit, bool keeps_backticks) {
  const bool cut = text.size() > limit;
  std::string out;
  out.reserve(cut ? limit : text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = sequence_length(text, i);
    const auto piece = text.substr(i, length == 0 ? 1 : length);
    if (i + piece.size() > limit) break;
    if (length == 0 || is_control(piece) || (piece == "`" && !keeps_backticks)) {
      append_hex(out, piece);
    } else {
      out += piece;
    }
    i += piece.size();
  }
  if (cut) out += "…";
  return out;
}

}  // namespace

std::string sanitize(std::string_view name, std::size_t limit) {
  return sanitized(name, limit, false);
}

std::string sanitize_message(std::string_view text, std::size_t limit) {
  return sanitized(text, limit, true);
}

std::string as_typed(std::string_view value) {
  const bool plain =
      !value.empty() && !value.ends_with(':') && value.find_first_of(" '\"`;\t\r\n") == value.npos;
  return plain ? sanitize(value) : '\'' + sanitize(value) + '\'';
}

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20) {
      out += {'\\', 'u', '0', '0', digits[byte >> 4], digits[byte & 15]};
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

}  // namespace weir
