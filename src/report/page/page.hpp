#pragma once

#include <string>
#include <string_view>

#include "report/json.hpp"

namespace weir::report {

/// A report that some run wrote, of JSON. Throws std::invalid_argument: how the text is none.
Json read_report(std::string_view text);

/// `report`, as a command writes it, as one HTML page that needs no network: the JSON itself, and
/// scripts that draw it. Bytes that are not UTF-8 are replaced.
std::string page(const Json& report);

}  // namespace weir::report
