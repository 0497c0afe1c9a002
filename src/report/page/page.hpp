#pragma once

#include <string>

#include "report/json.hpp"

namespace weir::report {

/// `report`, as a command writes it, as one HTML page that needs no network: the JSON itself, and
/// scripts that draw it. Bytes that are not UTF-8 are replaced.
std::string page(const Json& report);

}  // namespace weir::report
