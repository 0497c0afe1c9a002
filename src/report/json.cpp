#include "report/json.hpp"

#include <nlohmann/json.hpp>

#include "report/read_json.hpp"
#include "weir/version.hpp"

namespace weir::report {

Json head(std::string_view command) {
  return {{"schema", schema}, {"version", version}, {"command", command}};
}

Json bound_json(std::uint64_t bytes) { return bytes == UINT64_MAX ? Json(nullptr) : Json(bytes); }

Json or_null(const std::optional<double>& figure) { return figure ? Json(*figure) : Json(nullptr); }
Json or_null(const std::optional<std::uint64_t>& figure) {
  return figure ? Json(*figure) : Json(nullptr);
}

Json text_or_null(std::string_view text) { return text.empty() ? Json(nullptr) : Json(text); }

std::string write(const Json& value) {
  return value.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

Json read(std::string_view text) {
  try {
    return read_json<Json>(text);
  } catch (const Json::exception&) {
    return Json::value_t::discarded;
  }
}

}  // namespace weir::report
