#pragma once

#include <span>
#include <string>
#include <string_view>

#include "report/json.hpp"
#include "report/pictures.hpp"

namespace weir::report {

/// Parses a report that a run has written. Throws std::invalid_argument with the reason if the text
/// is not one.
Json read_report(std::string_view text);

/// Creates one HTML page from a report. It contains the JSON and scripts that draw it, and needs no
/// network. `pictures` are beside the report, so its JSON has none. `guide` is the path of the page
/// that explains its words; empty: no link. Replaces bytes that are not UTF-8.
std::string page(const Json& report, std::span<const PicturedRow> pictures = {},
                 const std::string& guide = "");

}  // namespace weir::report
