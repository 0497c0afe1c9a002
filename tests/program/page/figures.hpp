#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace weir::test {

/// The value at a path as the page writes it, "runs.0.plan.batch"; null where there is none.
nlohmann::json at(const nlohmann::json& report, const std::string& path);

/// Whether `text`, "9.19 MiB", says `value` of the report to the digits it shows.
bool says(const std::string& text, const std::string& unit, const nlohmann::json& value);

}  // namespace weir::test
