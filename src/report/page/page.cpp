#include "report/page/page.hpp"

#include <nlohmann/json.hpp>

#include "report/page/embedded.hpp"
#include "report/read_json.hpp"

namespace weir::report {

Json read_report(std::string_view text) {
  Json report;
  try {
    report = read_json<Json>(text);
  } catch (const Json::exception&) {
    // As of any other file: it is none.
  }
  if (!report.is_object() || !report.contains("schema") || !report.contains("command"))
    throw std::invalid_argument(
        "is no report of weir's: those of --json and of MemoryProfile::write_json are");
  return report;
}

std::string page(const Json& report) {
  std::string out;
  for (const auto part : page_before) out += part;
  // A file may be named "</script>" or "<!--"; in JSON `<` stands in strings alone.
  for (const char c : report.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  for (const auto part : page_after) out += part;
  return out;
}

}  // namespace weir::report
