// Programs with options of their own replace the names of members in errors, so each is in backticks.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "options/option_row.hpp"
#include "support/catch.hpp"

namespace {

/// The string literals of a line of code, without their quotes.
std::vector<std::string> literals_in(std::string_view line) {
  std::vector<std::string> all;
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (!quoted && line.substr(i).starts_with("//")) break;
    if (line[i] == '"') {
      quoted = !quoted;
      if (quoted) all.emplace_back();
    } else if (quoted) {
      all.back() += line[i];
      if (line[i] == '\\') all.back() += line[++i];
    }
  }
  return all;
}

bool in_name(char c) {
  return std::string_view("abcdefghijklmnopqrstuvwxyz_.").find(c) != std::string_view::npos;
}

/// Whether `text` names `member` without backticks. A member without a dot may be an ordinary word, except
/// before an equals sign.
bool names_unmarked(const std::string& text, std::string_view member) {
  for (std::size_t at = 0; (at = text.find(member, at)) != text.npos; at += member.size()) {
    const auto rest = std::string_view(text).substr(at + member.size());
    const bool whole = (at == 0 || !in_name(text[at - 1])) && (rest.empty() || !in_name(rest[0]));
    const bool marked = at > 0 && text[at - 1] == '`' && rest.starts_with('`');
    const bool surely = member.find('.') != member.npos || rest.starts_with(" = ");
    if (whole && surely && !marked) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("an unmarked name of a member is found in a text", "[options]") {
  CHECK(literals_in(R"(f("a \"b\"", "c");  // "d")") ==
        std::vector<std::string>{"a \\\"b\\\"", "c"});
  CHECK(names_unmarked("see cache.keep", "cache.keep"));
  CHECK(names_unmarked("with fit = random", "fit"));
  CHECK_FALSE(names_unmarked("with `fit` = random they fit", "fit"));
  CHECK_FALSE(names_unmarked("see `sizes.size.of`", "sizes.size"));
}

TEST_CASE("texts of the library name members in backticks", "[options]") {
  namespace fs = std::filesystem;
  const fs::path src = fs::path(WEIR_SOURCE_DIR) / "src";
  std::size_t files = 0, marks = 0;
  for (const auto& entry : fs::recursive_directory_iterator(src)) {
    const auto path = entry.path().lexically_relative(src).generic_string();
    const auto extension = entry.path().extension();
    if ((extension != ".cpp" && extension != ".hpp") || path.starts_with("cli/")) continue;
    if (path == "options/table.cpp") continue;  // sentences of the help and the guide
    ++files;
    std::ifstream in(entry.path());
    std::string line;
    while (std::getline(in, line))
      for (const auto& text : literals_in(line)) {
        marks += static_cast<std::size_t>(std::ranges::count(text, '`'));
        if (text.find(' ') == text.npos) continue;  // a name alone
        for (const auto& row : weir::options::rows())
          if (names_unmarked(text, row.name))
            FAIL_CHECK(path << ": " << row.name << " in " << text);
      }
  }
  CHECK(files > 300);
  CHECK(marks > 200);
}
