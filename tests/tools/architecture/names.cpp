#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <string_view>

#include "tools/architecture/rules.hpp"

namespace weir::architecture {
namespace {

/// Names that standard terms have replaced. Comments may use the ordinary words ("asked", "place").
constexpr std::string_view retired =
    " "
    "StageClock QueueClock SizeClock CacheClock Clocks clocks_text clocks_cost Turn turn_of "
    "Course ModelCourse course_of Post AtPost Lane Board Giver give_way enlist strike "
    "givable forsake grave HomeProcess home_process refoot footprints_ update_footprint "
    "foretell foretold words_of DelayWords wish wish_ wish_of told_ as_told let_go LetGo "
    "lets_out asked asked_ max_queue_size_asked asked_bytes slab_asked cache_asked_ "
    "fetch_stall fetch_stall_s prep_stall prep_stall_s memory_stall memory_stall_s starved "
    "starved_s throttled throttled_s place Place places place_ places_ place_host_bytes ";

bool is_retired(std::string_view name) {
  return retired.find(" " + std::string(name) + " ") != retired.npos;
}

/// The first retired name in the line, or nothing. A string counts only if it is one name: a key or a label.
std::string retired_name(std::string_view line) {
  bool quoted = false;
  for (std::size_t at = 0; at < line.size();) {
    if (line[at] == '"') quoted = !quoted;
    auto end = at;
    while (end < line.size() && in_word(line[end])) ++end;
    const auto name = line.substr(at, end - at);
    const bool label = at > 0 && line[at - 1] == '"' && end < line.size() && line[end] == '"';
    if (!name.empty() && (!quoted || label) && is_retired(name)) return std::string(name);
    at = std::max(end, at + 1);
  }
  return {};
}

constexpr std::size_t longest_case = 60;

/// Why the name of a test case is none; empty if it is one.
std::string fault_of_case(const std::string& name) {
  if (name.size() > longest_case)
    return std::to_string(name.size()) + " characters, at most " + std::to_string(longest_case);
  if (name.starts_with("-")) return "Catch takes it for an option";
  // These need the test before.
  for (const std::string_view opening : {"nor ", "and ", "or ", "but ", "so ", "also ", "then ",
                                         "likewise ", "neither ", "the same "})
    if (name.starts_with(opening)) return "begins with '" + std::string(opening) + "'";
  return {};
}

/// A string of one or more adjacent literals, without the quotes.
std::string joined(const std::string& literals) {
  static const std::regex literal(R"re("((?:[^"\\]|\\.)*)")re");
  std::string text;
  for (std::sregex_iterator at(literals.begin(), literals.end(), literal), end; at != end; ++at)
    text += (*at)[1];
  return text;
}

}  // namespace

std::vector<Breach> check_case_names(const std::filesystem::path& root) {
  // The group matches nothing if the name is not made of literals alone.
  static const std::regex declared(
      R"re(TEST[_]CASE(?:_METHOD\(\w+,|\()\s*(?:((?:"(?:[^"\\]|\\.)*"\s*)+)[,)])?)re");
  std::vector<Breach> breaches;
  for (const auto& file : source_files(root / "tests")) {
    std::ifstream in(file, std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(in), {});
    for (std::sregex_iterator at(text.begin(), text.end(), declared), end; at != end; ++at) {
      const bool literal = (*at)[1].matched;
      const auto name = literal ? joined((*at)[1]) : std::string();
      const auto fault = literal ? fault_of_case(name) : "a macro or an expression makes it";
      if (!fault.empty())
        breaches.push_back(
            {file.lexically_relative(root).generic_string(),
             static_cast<int>(std::count(text.begin(), text.begin() + at->position(), '\n')) + 1,
             '\'' + name + "': " + fault});
    }
  }
  return breaches;
}

std::vector<Breach> check_names(const std::filesystem::path& root) {
  return check_code(root, retired_name, ": a retired name; CHANGELOG.md has the new one");
}

}  // namespace weir::architecture
