#include "shards/keys.hpp"

#include <algorithm>
#include <cstdint>

#include "base/numbers.hpp"
#include "base/sanitize.hpp"
#include "base/text.hpp"
#include "source/extension.hpp"
#include "weir/error.hpp"

namespace weir::shards {
namespace {

[[noreturn]] void refuse_pattern(const std::string& pattern, const std::string& why) {
  refuse(Stage::read, "the pattern ", sanitize(pattern), ' ', why);
}

std::optional<std::uint64_t> number_of(std::string_view text) {
  constexpr std::size_t most_digits = 18;  // more might not fit
  return text.size() > most_digits ? std::nullopt : parse_number<std::uint64_t>(text);
}

/// The numbers of "first..last", as wide as the wider of them if one begins with a zero.
std::vector<std::string> range_of(const std::string& pattern, std::string_view first,
                                  std::string_view last) {
  const auto from = number_of(first), to = number_of(last);
  if (!from || !to)
    refuse_pattern(pattern, "has a range that is not {FIRST..LAST} of two whole numbers");
  const auto down = *from > *to;
  const auto count = (down ? *from - *to : *to - *from) + 1;
  if (count > most_paths)
    refuse_pattern(pattern, "has a range of more than " + std::to_string(most_paths) + " numbers");
  const auto padded = [](std::string_view text) { return text.size() > 1 && text[0] == '0'; };
  const auto width = padded(first) || padded(last) ? std::max(first.size(), last.size()) : 0;
  std::vector<std::string> words;
  for (std::uint64_t i = 0; i < count; ++i)
    words.push_back(zero_padded(down ? *from - i : *from + i, width));
  return words;
}

}  // namespace

std::optional<MemberName> split(std::string_view name) noexcept {
  const auto slash = name.rfind('/');
  const auto base = slash == name.npos ? 0 : slash + 1;
  const auto dot = name.find('.', base);
  if (dot == name.npos || dot == base) return std::nullopt;
  return MemberName{name.substr(0, dot), name.substr(dot + 1)};
}

std::string extension_of(std::string_view option) {
  auto extension = source::lower_case(option);
  if (extension.starts_with('.')) extension.erase(0, 1);
  return extension;
}

std::vector<std::string> expand_braces(const std::string& pattern) {
  if (pattern.size() > most_pattern_bytes)
    refuse_pattern(pattern, "has more than " + std::to_string(most_pattern_bytes) + " bytes");
  std::vector<std::string> paths{""};
  for (std::string_view rest = pattern; !rest.empty();) {
    const auto open = std::min(rest.find_first_of("{}"), rest.size());
    const auto plain = rest.substr(0, open);
    std::vector<std::string> words{""};
    if (open == rest.size()) {
      rest = {};
    } else {
      const auto close = rest.find_first_of("{}", open + 1);
      if (rest[open] == '}' || close == rest.npos)
        refuse_pattern(pattern, "has a brace without its partner");
      if (rest[close] == '{') refuse_pattern(pattern, "has a brace inside of another");
      const auto inside = rest.substr(open + 1, close - open - 1);
      rest.remove_prefix(close + 1);
      const auto dots = inside.find("..");
      if (dots == inside.npos) {
        const auto parts = weir::split(inside, ',');
        words.assign(parts.begin(), parts.end());
      } else {
        words = range_of(pattern, inside.substr(0, dots), inside.substr(dots + 2));
      }
    }
    if (words.size() > most_paths / paths.size())
      refuse_pattern(pattern, "has more than " + std::to_string(most_paths) + " paths");
    std::vector<std::string> longer;
    longer.reserve(paths.size() * words.size());
    for (const auto& path : paths)
      for (const auto& word : words) longer.push_back(path + std::string(plain) + word);
    paths = std::move(longer);
  }
  return paths;
}

}  // namespace weir::shards
