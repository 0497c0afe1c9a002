#include <array>
#include <fstream>
#include <string_view>

#include "tools/architecture/rules.hpp"

namespace weir::architecture {
namespace {

/// Names that were given up for standard terms. Ordinary English ("asked", "place") is free in comments.
constexpr std::array<std::string_view, 62> retired{"StageClock",
                                                   "QueueClock",
                                                   "SizeClock",
                                                   "CacheClock",
                                                   "Clocks",
                                                   "clocks_text",
                                                   "clocks_cost",
                                                   "Turn",
                                                   "turn_of",
                                                   "Course",
                                                   "ModelCourse",
                                                   "course_of",
                                                   "Post",
                                                   "AtPost",
                                                   "Lane",
                                                   "Board",
                                                   "Giver",
                                                   "give_way",
                                                   "enlist",
                                                   "strike",
                                                   "givable",
                                                   "forsake",
                                                   "grave",
                                                   "HomeProcess",
                                                   "home_process",
                                                   "refoot",
                                                   "footprints_",
                                                   "update_footprint",
                                                   "foretell",
                                                   "foretold",
                                                   "words_of",
                                                   "DelayWords",
                                                   "wish",
                                                   "wish_",
                                                   "wish_of",
                                                   "told_",
                                                   "as_told",
                                                   "let_go",
                                                   "LetGo",
                                                   "lets_out",
                                                   "asked",
                                                   "asked_",
                                                   "max_queue_size_asked",
                                                   "asked_bytes",
                                                   "slab_asked",
                                                   "cache_asked_",
                                                   "fetch_stall",
                                                   "fetch_stall_s",
                                                   "prep_stall",
                                                   "prep_stall_s",
                                                   "memory_stall",
                                                   "memory_stall_s",
                                                   "starved",
                                                   "starved_s",
                                                   "throttled",
                                                   "throttled_s",
                                                   "place",
                                                   "Place",
                                                   "places",
                                                   "place_",
                                                   "places_",
                                                   "place_host_bytes"};

bool in_name(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

/// The first retired name in the line, or nothing. What stands between quotes counts where it is one name: a key
/// or a label.
std::string_view retired_name(std::string_view line) {
  bool quoted = false;
  for (std::size_t at = 0; at < line.size();) {
    if (line[at] == '"') quoted = !quoted;
    auto end = at;
    while (end < line.size() && in_name(line[end])) ++end;
    const auto name = line.substr(at, end - at);
    const bool label = at > 0 && line[at - 1] == '"' && end < line.size() && line[end] == '"';
    if (!name.empty() && (!quoted || label))
      for (const auto& old : retired)
        if (old == name) return name;
    at = std::max(end, at + 1);
  }
  return {};
}

}  // namespace

std::vector<Breach> check_names(const std::filesystem::path& root) {
  std::vector<Breach> breaches;
  for (const auto* folder : {"include", "src"}) {
    for (const auto& file : source_files(root / folder)) {
      std::ifstream in(file);
      int number = 0;
      for (std::string line; std::getline(in, line);) {
        ++number;
        const auto code = std::string_view(line).substr(0, line.find("//"));
        if (const auto found = retired_name(code); !found.empty())
          breaches.push_back(
              {file.lexically_relative(root).generic_string(), number,
               std::string(found) + ": a retired name; CHANGELOG.md has the new one"});
      }
    }
  }
  return breaches;
}

}  // namespace weir::architecture
