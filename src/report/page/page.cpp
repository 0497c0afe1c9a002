#include "report/page/page.hpp"

#include <nlohmann/json.hpp>

#include "report/page/embedded.hpp"

namespace weir::report {

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
