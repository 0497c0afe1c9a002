#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "report/figures.hpp"

namespace weir::report {

using Json = nlohmann::ordered_json;

/// Version of the keys of every report. It changes with their names and meanings.
inline constexpr int schema = 2;

/// The first keys of every report: `schema`, `version`, `command`.
Json head(std::string_view command);
/// The form of every report: all keys in their fixed order, with null values.
Json envelope(std::string_view command);

/// Sets `plan` in the envelope.
void put_plan(Json& envelope, const Plan& plan, std::string_view budget_how = {},
              std::string_view sample_how = {});
/// The envelope with everything that a run provides.
Json run_report(std::string_view command, const Run& run);
/// The whole report of a run, as JSON text.
std::string run_json(const Run& run);
/// Sets `faults` and `fault_count`.
void put_faults(Json& envelope, std::span<const Fault> faults, std::uint64_t fault_count);

/// What the rows showed of each plane. Empty if there is none.
Json planes_json(std::span<const PlaneStats> planes);
Json fault_json(const Fault& fault);
Json to_json(const Plan& plan);
Json to_json(const Setting& setting);
/// The bytes of all slabs with queue depth `depth`, and the most samples that are drawn ahead.
Json depth_json(const Plan& plan, std::uint32_t depth);
Json to_json(const Grid& grid);
Json to_json(const SampleTally& samples);

/// Null for UINT64_MAX, which stands for no bound.
Json bound_json(std::uint64_t bytes);
Json or_null(const std::optional<double>& figure);
Json or_null(const std::optional<std::uint64_t>& figure);
/// `text`, or null if it is empty.
Json text_or_null(std::string_view text);

/// Formats `value` for a file or a pipe: an indent of two spaces and a final newline. Replaces
/// bytes that are not UTF-8.
std::string write(const Json& value);
/// Parses untrusted JSON. Discarded if it is none. Throws std::invalid_argument if it is nested too
/// deep.
Json read(std::string_view text);

}  // namespace weir::report
