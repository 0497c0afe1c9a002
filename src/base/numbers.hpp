#pragma once

#include <algorithm>
#include <charconv>
#include <concepts>
#include <optional>
#include <string_view>
#include <system_error>

namespace weir {

/// Takes the number at the start of `text`, without blanks or '+' before it. Empty, and `text` stays, if
/// there is none that T can hold. `base` is for integers.
template <class T>
std::optional<T> take_number(std::string_view& text, int base = 10) noexcept {
  T value{};
  const auto* const end = text.data() + text.size();
  std::from_chars_result result{};
  if constexpr (std::integral<T>)
    result = std::from_chars(text.data(), end, value, base);
  else
    result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc()) return std::nullopt;
  text = {result.ptr, end};
  return value;
}

/// take_number() after any blanks.
template <class T>
std::optional<T> take_number_after_blanks(std::string_view& text) noexcept {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return take_number<T>(text);
}

/// All of `text` as a number, as take_number() reads it.
template <class T>
std::optional<T> parse_number(std::string_view text, int base = 10) noexcept {
  const auto value = take_number<T>(text, base);
  return text.empty() ? value : std::nullopt;
}

}  // namespace weir
