#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

namespace weir::report {

/// JSON that somebody else wrote, as `J`; the one way to read it here. nlohmann's parser takes any depth,
/// but to write or to copy what it read is a call within a call for each level, and the stack ends
/// before the file does: so the depth has a bound. `also` is asked of each event, as by J::parse.
/// Throws J::exception where it is no JSON, std::invalid_argument where it is nested too deep.
template <class J>
J read_json(std::string_view text, typename J::parser_callback_t also = nullptr) {
  constexpr int most_levels = 100;
  return J::parse(text, [&](int level, typename J::parse_event_t event, J& parsed) {
    const bool opens =
        event == J::parse_event_t::object_start || event == J::parse_event_t::array_start;
    if (opens && level >= most_levels)
      throw std::invalid_argument("is nested more than " + std::to_string(most_levels) +
                                  " levels deep");
    return !also || also(level, event, parsed);
  });
}

}  // namespace weir::report
