#include "report/page/page.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "advice/regimes.hpp"
#include "base/sanitize.hpp"
#include "base/terms.hpp"
#include "books/accounts.hpp"
#include "report/json.hpp"
#include "report/page/embedded.hpp"

namespace weir::report {

namespace {

/// The tables of terms in a report.
Json terms() {
  Json out{{"accounts", Json::array()}, {"stages", Json::object()}, {"regimes", Json::object()}};
  for (const auto& row : books::accounts)
    out["accounts"].push_back({{"name", row.name}, {"meaning", row.meaning}, {"slab", row.slab}});
  for (const auto& row : stages) out["stages"][std::string(row.name)] = row.meaning;
  for (const auto& row : advice::regimes) out["regimes"][std::string(row.name)] = row.meaning;
  return out;
}

std::string base64(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = i; k < i + 3; ++k) three = three << 8 | (k < bytes.size() ? bytes[k] : 0u);
    for (const int shift : {18, 12, 6, 0}) out += digits[three >> shift & 63];
  }
  for (auto missing = (3 - bytes.size() % 3) % 3; missing > 0; --missing)
    out[out.size() - missing] = '=';
  return out;
}

Json to_json(const Picture& picture) {
  return {{"name", picture.name},
          {"status", picture.status},
          {"pixels", to_string(picture.pixels)},
          {"shape", {picture.shape.height, picture.shape.width}},
          {"size", {picture.size.height, picture.size.width}},
          {"fill", picture.fill},
          {"bytes", base64(picture.bytes)}};
}

Json to_json(std::span<const PicturedRow> rows) {
  Json out = Json::array();
  for (const auto& row : rows) {
    auto& one = out.emplace_back(Json{{"name", row.name}, {"label", row.label}});
    one["pictures"] = Json::array();
    for (const auto& picture : row.pictures) one["pictures"].push_back(to_json(picture));
  }
  return out;
}

std::string replaced(std::string_view text, char old, std::string_view by) {
  std::string out;
  for (const char c : text) c == old ? out += by : out += c;
  return out;
}

/// What has a page, and the end of its title.
constexpr std::pair<std::string_view, std::string_view> pages[] = {
    {"run", " · what a run cost"},
    {"sweep", " · queue depths compared"},
    {"tune", " · what limits the run, and what to change"},
    {"profile", ""}};

/// For the tab of a browser, and for programs that run no scripts.
std::string title_element(const Json& report) {
  const auto command = report["command"].get<std::string>();
  auto title = "weir " + command;
  for (const auto& [of, end] : pages)
    if (command == of) title += end;
  if (report.contains("data")) title += " · " + sanitize(report["data"].get<std::string>());
  return "<title>" + replaced(replaced(title, '&', "&amp;"), '<', "&lt;") + "</title>\n";
}

std::string data_element(std::string_view id, const Json& data) {
  // A file name can contain "</script>" or "<!--". In JSON, `<` occurs only in strings.
  return fmt::format(
      "<script type=\"application/json\" id=\"{}\">{}</script>", id,
      replaced(data.dump(-1, ' ', false, Json::error_handler_t::replace), '<', "\\u003c"));
}

}  // namespace

Json read_report(std::string_view text) {
  Json report = read(text);
  const bool is_report = report.is_object() && report.contains("schema") &&
                         report.value("command", Json()).is_string() &&
                         report.value("data", Json("")).is_string();
  if (!is_report)
    throw std::invalid_argument(
        "is not a report; page reads what --json or MemoryProfile::write_json wrote");
  if (report["schema"] != schema)
    throw std::invalid_argument(
        fmt::format("has schema {}, and this weir reads schema {}: make it again",
                    report["schema"].dump(), schema));
  const auto command = report["command"].get<std::string>();
  if (std::ranges::count(pages, command, [](const auto& each) { return each.first; }) == 0)
    throw std::invalid_argument(fmt::format(
        "is of `weir {}`, which has no page; run, sweep, tune, demo and MemoryProfile have one",
        sanitize(command)));
  return report;
}

std::string page(const Json& report, std::span<const PicturedRow> pictures,
                 const std::string& guide) {
  std::string out;
  for (const auto part : page_before) out += part;
  auto words = terms();
  words["guide"] = text_or_null(guide);
  out += title_element(report) + data_element("report", report) + data_element("terms", words) +
         data_element("pictures", to_json(pictures));
  for (const auto part : page_after) out += part;
  return out;
}

}  // namespace weir::report
