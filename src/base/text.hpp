#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "weir/error.hpp"
#include "weir/image.hpp"

namespace weir {

/// The parts in a row: texts, characters, and numbers as std::to_string writes them.
template <class... Parts>
std::string concat(const Parts&... parts) {
  std::string text;
  const auto add = [&text]<class Part>(const Part& part) {
    if constexpr (std::same_as<Part, char>)
      text += part;
    else if constexpr (std::is_arithmetic_v<Part>)
      text += std::to_string(part);
    else
      text += std::string_view(part);  // not a part that is converted to a character
  };
  (add(parts), ...);
  return text;
}

/// The texts of the items, as concat() writes them, with `separator` between them.
template <class Items, class TextOf = std::identity>
std::string joined(const Items& items, std::string_view separator, TextOf text_of = {}) {
  std::string all;
  std::string_view before;
  for (const auto& item : items)
    all += concat(std::exchange(before, separator), std::invoke(text_of, item));
  return all;
}

/// Throws the Error with these parts as its text.
template <class... Parts>
[[noreturn]] void throw_error(Errc code, Stage stage, const Parts&... parts) {
  throw Error(code, stage, concat(parts...));
}

/// Throws Error{bad_options}.
template <class... Parts>
[[noreturn]] void refuse(Stage stage, const Parts&... parts) {
  throw_error(Errc::bad_options, stage, parts...);
}

/// Formats as std::snprintf does. At most 255 bytes.
template <class... Values>
std::string format(const char* pattern, Values... values) {
  std::array<char, 256> text{};
  std::snprintf(text.data(), text.size(), pattern, values...);
  return text.data();
}

/// Without blanks and ends of lines at its begin and end.
inline std::string_view trimmed(std::string_view text) noexcept {
  constexpr std::string_view blanks = " \t\r\n";
  const auto first = std::min(text.find_first_not_of(blanks), text.size());
  return text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

/// Takes what is before the first `end`, or all, from the start of `text`, and the `end`.
inline std::string_view take_until(std::string_view& text, char end) noexcept {
  const auto part = text.substr(0, text.find(end));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

/// The parts of `text` between separators; one if there is none.
inline std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t from = 0; from <= text.size(); from += parts.back().size() + 1)
    parts.push_back(text.substr(from, text.find(separator, from) - from));
  return parts;
}

/// Takes the first line of `text`, which ends with LF or CR LF, without its end.
inline std::string_view take_line(std::string_view& text) noexcept {
  auto line = take_until(text, '\n');
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

inline std::string_view without_byte_order_mark(std::string_view text) noexcept {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  if (text.starts_with(mark)) text.remove_prefix(mark.size());
  return text;
}

/// The number with zeros in front of it, `least` digits or more.
inline std::string zero_padded(std::uint64_t number, std::size_t least) {
  auto digits = std::to_string(number);
  return digits.insert(0, least - std::min(least, digits.size()), '0');
}

/// 16 hexadecimal digits.
inline std::string hex(std::uint64_t value) {
  return format("%016llx", static_cast<unsigned long long>(value));
}

/// For example "64.00 MiB" or, from 1 GiB on, "1.50 GiB".
inline std::string bytes_text(std::uint64_t bytes) {
  const double mib = static_cast<double>(bytes) / static_cast<double>(1u << 20);
  return mib < 1023.995 ? format("%.2f MiB", mib) : format("%.2f GiB", mib / 1024);
}

/// For example "12.5 %" of 0.125.
inline std::string percent(double share, int decimals = 1) {
  return format("%.*f %%", decimals, 100 * share);
}

/// Height x width, for a message.
inline std::string sides(ImageSize size) { return concat(size.height, "x", size.width); }

/// A rectangle, for a message.
inline std::string text_of(const Rect& r) {
  return format("x = %g, y = %g, %g wide, %g high", r.x, r.y, r.width, r.height);
}

}  // namespace weir
