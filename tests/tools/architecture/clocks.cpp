#include <algorithm>
#include <array>
#include <string_view>

#include "tools/architecture/rules.hpp"

namespace weir::architecture {
namespace {

template <std::size_t n>
bool is_one_of(std::string_view word, const std::array<std::string_view, n>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string_view without_spaces(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
}

/// True if `word`, between `before` and `after`, is a clock that an operator or NTP can set, or one
/// of libstdc++'s functions on such a clock.
bool is_settable(char before, std::string_view word, std::string_view after) {
  static constexpr std::array<std::string_view, 4> clocks{"system_clock", "high_resolution_clock",
                                                          "utc_clock", "CLOCK_TAI"};
  static constexpr std::array<std::string_view, 6> functions{
      "gettimeofday", "localtime", "gmtime", "mktime", "timespec_get", "pthread_cond_timedwait"};
  if (is_one_of(word, clocks) || word.starts_with("CLOCK_REALTIME")) return true;
  after = without_spaces(after);
  if (!after.starts_with('(')) return false;
  if (is_one_of(word.substr(0, word.size() - (word.ends_with("_r") ? 2 : 0)), functions))
    return true;
  if (word != "time" || before == '.' || before == '>') return false;
  after = without_spaces(after.substr(1));
  return after.starts_with("nullptr") || after.starts_with("NULL") || after.starts_with('0') ||
         after.starts_with('&');
}

std::string settable_clock(std::string_view code) {
  for (std::size_t at = 0; at < code.size();) {
    auto end = at;
    while (end < code.size() && in_word(code[end])) ++end;
    const auto word = code.substr(at, end - at);
    if (!word.empty() && is_settable(at > 0 ? code[at - 1] : ' ', word, code.substr(end)))
      return std::string(word);
    at = std::max(end, at + 1);
  }
  return {};
}

}  // namespace

std::vector<Breach> check_clocks(const std::filesystem::path& root) {
  return check_code(root, settable_clock,
                    ": a clock that can be set; base/clock.hpp has one that cannot");
}

}  // namespace weir::architecture
