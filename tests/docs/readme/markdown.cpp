#include "markdown.hpp"

#include <regex>
#include <sstream>

namespace weir::test {
namespace {

constexpr std::string_view fence = "```";

/// Calls `in_block(language, line)` and `outside(line)`.
template <class InBlock, class Outside>
void each_line(const std::string& markdown, InBlock in_block, Outside outside) {
  std::istringstream in(markdown);
  std::string line, language;
  bool inside = false;
  while (std::getline(in, line)) {
    if (line.starts_with(fence)) {
      inside = !inside;
      language = line.substr(fence.size());
    } else if (inside) {
      in_block(language, line);
    } else {
      outside(line);
    }
  }
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> found;
  for (std::string word; in >> word && word != "#";) found.push_back(word);
  return found;
}

std::vector<std::string> first_groups(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match)
    found.push_back((*match)[1]);
  return found;
}

}  // namespace

std::vector<std::string> blocks(const std::string& markdown, std::string_view language) {
  std::vector<std::string> found;
  bool again = true;
  each_line(
      markdown,
      [&](const std::string& of, const std::string& line) {
        if (of != language) return;
        if (again) found.emplace_back();
        again = false;
        found.back() += line + "\n";
      },
      [&](const std::string&) { again = true; });
  return found;
}

std::vector<std::vector<std::string>> commands(const std::string& markdown) {
  std::vector<std::vector<std::string>> found;
  std::string prose, unfinished;
  each_line(
      markdown,
      [&](const std::string& language, const std::string& line) {
        if (language != "sh") return;
        unfinished += line;
        if (unfinished.ends_with('\\')) {
          unfinished.pop_back();
          return;
        }
        found.push_back(words(unfinished));
        unfinished.clear();
      },
      [&](const std::string& line) { prose += line + "\n"; });
  static const std::regex span("`([^`]+)`");
  for (const auto& code : first_groups(prose, span)) found.push_back(words(code));
  return found;
}

std::vector<std::string> linked_files(const std::string& markdown) {
  static const std::regex link(R"(\]\(([^):#]+)\))");
  return first_groups(markdown, link);
}

}  // namespace weir::test
