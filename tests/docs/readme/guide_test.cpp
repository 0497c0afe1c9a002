#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "markdown.hpp"
#include "program.hpp"
#include "support/catch.hpp"

using namespace weir::test;

namespace {

const std::filesystem::path guide = std::filesystem::path(WEIR_ROOT) / "docs/guide";
const std::filesystem::path examples = std::filesystem::path(WEIR_ROOT) / "examples";

std::map<std::string, std::string> pages() {
  std::map<std::string, std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(guide))
    if (entry.path().extension() == ".md")
      found[entry.path().filename().string()] = read_file(entry.path());
  return found;
}

/// The lines without their common indentation.
std::vector<std::string> flush_left(std::vector<std::string> lines) {
  auto indent = std::string::npos;
  for (const auto& line : lines) indent = std::min(indent, line.find_first_not_of(' '));
  for (auto& line : lines)
    if (!line.empty()) line.erase(0, indent);
  return lines;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// True if the block is a sequence of lines of the file, with any indentation.
bool holds(const std::vector<std::string>& file, const std::vector<std::string>& block) {
  const auto wanted = flush_left(block);
  for (std::size_t first = 0; first + block.size() <= file.size(); ++first) {
    const auto at = file.begin() + static_cast<std::ptrdiff_t>(first);
    if (flush_left({at, at + static_cast<std::ptrdiff_t>(block.size())}) == wanted) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("C and C++ of the guide are in an example", "[readme]") {
  std::vector<std::vector<std::string>> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(examples))
    if (const auto ending = entry.path().extension();
        ending == ".c" || ending == ".cpp" || ending == ".hpp")
      files.push_back(lines_of(read_file(entry.path())));
  int checked = 0;
  for (const auto& [page, text] : pages()) {
    auto programs = blocks(text, "cpp");
    for (auto& block : blocks(text, "c")) programs.push_back(std::move(block));
    for (const auto& block : programs) {
      const auto lines = lines_of(block);
      if (lines.size() <= 2) continue;  // too short for a program
      CAPTURE(page, block);
      CHECK(std::ranges::any_of(files, [&](const auto& file) { return holds(file, lines); }));
      ++checked;
    }
  }
  CHECK(checked > 10);
}

TEST_CASE("the guide's index has groups and begins with the first steps", "[readme]") {
  const auto index = pages().at("README.md");
  std::vector<std::string> groups;
  for (const auto& line : lines_of(index))
    if (line.starts_with("## ")) groups.push_back(line.substr(3));
  CHECK(groups ==
        std::vector<std::string>{"Start", "Data", "Train", "Tune", "Moving over", "Reference"});
  const auto listed = linked_files(index);
  REQUIRE(listed.size() > 20);
  CHECK(listed[0] == "install.md");
  CHECK(listed[1] == "feed-a-trainer.md");
}

TEST_CASE("the guide's index lists every page and every link resolves", "[readme]") {
  const auto all = pages();
  REQUIRE(all.size() >= 7);
  const auto listed = linked_files(all.at("README.md"));
  for (const auto& [page, text] : all) {
    CAPTURE(page);
    CHECK((page == "README.md" || std::ranges::find(listed, page) != listed.end()));
    for (const auto& link : linked_files(text)) {
      CAPTURE(link);
      CHECK(std::filesystem::exists(guide / link));
    }
  }
}
