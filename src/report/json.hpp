#pragma once

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <string_view>

#include "report/figures.hpp"

namespace weir::report {

using Json = nlohmann::ordered_json;

/// Of every report's keys: changes with their names and meanings.
inline constexpr int schema = 2;

/// `schema`, `version`, `command`: what every report begins with.
Json head(std::string_view command);
/// The envelope that every command writes: all its keys in their fixed order, null until known.
Json envelope(std::string_view command);

/// Fills the envelope's `plan`.
void put_plan(Json& envelope, const Plan& plan, std::string_view budget_how = {});
/// Fills all that a run knows, the plan and the faults too.
void put_run(Json& envelope, const Run& run);
/// Fills `faults` and `fault_count`.
void put_faults(Json& envelope, std::span<const Fault> faults, std::uint64_t fault_count);

Json to_json(const Plan& plan);
Json to_json(const Setting& setting);
Json to_json(const DepthCost& cost);
Json to_json(const Grid& grid);
Json to_json(const SampleTally& samples);

/// `text`; null where it is empty.
Json text_or_null(std::string_view text);

/// Text of `value` for a file or a pipe: two blanks of indent, a newline at the end, bytes that are
/// not UTF-8 replaced.
std::string write(const Json& value);

}  // namespace weir::report
