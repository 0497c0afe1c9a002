#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace weir::test {

/// The value at a path in the page's notation, "runs.0.plan.batch". Null if there is none.
nlohmann::json at(const nlohmann::json& report, const std::string& path);

/// True if `text`, "9.19 MiB", equals `value` of the report to its displayed digits.
bool says(const std::string& text, const std::string& unit, const nlohmann::json& value);

}  // namespace weir::test
