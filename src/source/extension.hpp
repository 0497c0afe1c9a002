#pragma once

#include <string>
#include <string_view>

namespace weir::source {

/// Lower case in ASCII, independent of the locale.
constexpr char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
std::string lower_case(std::string_view text);
/// Whether the text ends with `suffix`, which is in lower case, in any case.
bool ends_in_any_case(std::string_view text, std::string_view suffix) noexcept;

/// Whether an extension in lower case may be an image's: its part after the last dot decides, so
/// "seg.png" may be one, and ".png".
bool may_be_image(std::string_view extension) noexcept;

}  // namespace weir::source
