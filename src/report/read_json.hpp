#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/sanitize.hpp"
#include "base/text.hpp"

namespace weir::report {

/// Whether a key may be there twice in one object. JSON readers differ in which one they use.
enum class Keys : std::uint8_t { any, once };

/// Parses untrusted JSON as `J`. Use only this function to make a `J` of it. It bounds the depth. nlohmann's
/// parser accepts any depth, but writing or copying the result is recursive, so a deep file would
/// overflow the stack. Throws J::exception if the text is not JSON, and std::invalid_argument if it is
/// nested too deep or has a key twice.
template <class J>
J read_json(std::string_view text, Keys keys = Keys::any) {
  using Event = typename J::parse_event_t;
  constexpr std::size_t most_levels = 100;
  std::vector<std::set<std::string>> levels;  // the keys of each open object
  // It keeps nothing: with a callback, the parser looks at all elements of an array at the end of
  // each object that is kept in it, which would take quadratic time.
  const auto check = [&](int depth, Event event, const J& key) {
    const auto level = static_cast<std::size_t>(depth);
    if (event == Event::object_start || event == Event::array_start) {
      if (level == most_levels)
        throw std::invalid_argument(concat("is nested more than ", most_levels, " levels deep"));
      levels.resize(level);
      levels.emplace_back();
    } else if (event == Event::key && keys == Keys::once) {
      const auto& name = key.template get_ref<const std::string&>();
      if (!levels[level - 1].insert(name).second)
        throw std::invalid_argument(sanitize(name, 64) + " is there twice in one object");
    }
    return false;
  };
  std::ignore = J::parse(text, check);
  return J::parse(text);
}

}  // namespace weir::report
