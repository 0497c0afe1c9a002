#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "options/option_row.hpp"
#include "options/values.hpp"
#include "program.hpp"
#include "support/catch.hpp"

using weir::test::read_file;

namespace {

const std::filesystem::path tree_of_options = WEIR_ROOT;

/// Names and defaults of fields, in order.
using Fields = std::vector<std::pair<std::string, std::string>>;

Fields matches_of(const std::string& text, const std::regex& field) {
  Fields fields;
  for (std::sregex_iterator match(text.begin(), text.end(), field), end; match != end; ++match)
    fields.emplace_back((*match)[1], (*match)[2]);
  return fields;
}

std::string header(const std::string& name) {
  return read_file(tree_of_options / "include/weir" / (name + ".hpp"));
}

/// The fields of a struct in a header: `Type name = default;` or `Type name{default};`.
Fields declared(const std::string& text, const std::string& name) {
  const auto begin = text.find("\nstruct " + name + " {");
  REQUIRE(begin != std::string::npos);
  auto body = text.substr(begin, text.find("\n};", begin) - begin);
  body = std::regex_replace(body, std::regex("//[^\n]*|\n  static [^\n]*"), "");
  return matches_of(body,
                    std::regex(R"(\n  [A-Z_a-z:][^\n;]*[>\w] (\w+)(?: =\s+|(?=\{))([^;]+);)"));
}

/// The rows of the table below a heading of the page.
Fields listed(const std::string& page, const std::string& name) {
  const auto begin = page.find("\n## " + name + "\n");
  REQUIRE(begin != std::string::npos);
  const auto section = page.substr(begin, page.find("\n## ", begin + 1) - begin);
  return matches_of(section, std::regex(R"(\n\| `(\w+)` \| `([^`]*)` \|)"));
}

/// The members of Options and of the structs in it, in the order of the headers.
std::vector<std::string> members() {
  const std::map<std::string, std::pair<const char*, const char*>> structs{
      {"flip", {"rows", "FlipOptions"}},        {"random", {"rows", "RandomOptions"}},
      {"patch", {"rows", "PatchOptions"}},      {"letterbox", {"rows", "LetterboxOptions"}},
      {"window", {"rows", "WindowOptions"}},    {"partners", {"order", "PartnerOptions"}},
      {"queue", {"options", "QueueOptions"}},   {"io", {"options", "IoOptions"}},
      {"memory", {"options", "MemoryOptions"}}, {"cache", {"memory", "CacheOptions"}},
      {"faults", {"options", "FaultOptions"}},  {"tuning", {"options", "TuningOptions"}},
      {"trace", {"options", "TraceOptions"}},   {"watchdog", {"options", "WatchdogOptions"}},
      {"limits", {"codec", "DecodeLimits"}},    {"sizes", {"rows", "SizeOptions"}},
      {"sizes.size", {"rows", "SizeFunction"}}, {"transform", {"transform", "TransformOptions"}},
      {"ranks", {"options", "WEIR_API Ranks"}}};
  std::vector<std::string> names;
  const std::function<void(const std::string&)> add = [&](const std::string& name) {
    const auto found = structs.find(name);
    if (found == structs.end()) return names.push_back(name);
    const auto& [file, type] = found->second;
    for (const auto& [field, its_default] : declared(header(file), type)) add(name + '.' + field);
  };
  for (const auto& [name, by_default] : declared(header("options"), "WEIR_API Options")) add(name);
  return names;
}

std::string values_of(const weir::options::Row& row) {
  if (!row.is_text) return "an object of C++";
  if (const auto text = row.text(row, {}); text == "true" || text == "false")
    return "`true`, `false`";
  std::string all;
  const auto add = [&all](const std::string& value) { all += (all.empty() ? "" : ", ") + value; };
  for (const auto name : row.enumerators) add("`" + std::string(name) + "`");
  if (row.form == "N")
    add(weir::options::range_text(row.least, row.most));
  else if (row.form == "P")
    add(row.least == 0 ? "0 to 1" : "above 0 and at most 1");
  else if (!row.form.empty())
    add(std::regex_replace(std::string(row.form), std::regex("\\|"), ", "));
  if (!row.absent.empty()) add("`" + std::string(row.absent) + "`");
  return all;
}

/// The table of all options.
std::string table_of_options() {
  std::string all =
      "| member | in the program | default | values | meaning |\n| --- | --- | --- | --- | --- |\n";
  const auto code = [](std::string_view text) {
    return text.empty() ? std::string() : "`" + std::string(text) + "`";
  };
  for (const auto& row : weir::options::rows()) {
    for (const auto& cell : {code(row.name), code(row.option), code(row.text(row, {})),
                             values_of(row), std::string(row.meaning)})
      all += cell.empty() ? "| " : "| " + cell + " ";
    all += "|\n";
  }
  return all;
}

}  // namespace

TEST_CASE("each member of Options has a row, in header order", "[readme]") {
  std::vector<std::string> rows;
  for (const auto& row : weir::options::rows()) rows.emplace_back(row.name);
  CHECK(rows == members());
  std::vector<std::string> planes, plane_members;
  for (const auto& row : weir::options::plane_rows()) planes.emplace_back(row.name);
  for (const auto& [name, by_default] : declared(header("rows"), "PlaneOptions"))
    plane_members.push_back(name);
  CHECK(planes == plane_members);
}

// WEIR_WRITE_PAGES=1 writes the table into the page.
TEST_CASE("the options page has the table of all options", "[readme]") {
  const auto path = tree_of_options / "docs/guide/options.md";
  auto page = read_file(path);
  const std::string heading = "\n## Every option\n";
  const auto from = page.find("\n| member |", page.find(heading)) + 1;
  const auto to = page.find("\n\n", from) + 1;
  REQUIRE(from < to);
  const bool same = page.substr(from, to - from) == table_of_options();
  if (!same && std::getenv("WEIR_WRITE_PAGES"))
    std::ofstream(path) << page.replace(from, to - from, table_of_options());
  CHECK(same);
}

TEST_CASE("the options page lists other fields in header order", "[readme]") {
  const auto page = read_file(tree_of_options / "docs/guide/options.md");
  for (const auto* name : {"StreamOptions", "EpochOptions", "RequestOptions"}) {
    CAPTURE(name);
    const auto fields = declared(header("stream"), name);
    CHECK(!fields.empty());
    CHECK(fields == listed(page, name));
  }
}
