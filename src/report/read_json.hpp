#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

namespace weir::report {

/// Parses untrusted JSON as `J`. Use only this function for that. It bounds the depth. nlohmann's
/// parser accepts any depth, but writing or copying the result is recursive, so a deep file would
/// overflow the stack. `also` is called for each event, as in J::parse. Throws J::exception if the
/// text is not JSON, and std::invalid_argument if it is nested too deep.
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
