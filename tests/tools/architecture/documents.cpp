#include <algorithm>
#include <fstream>
#include <regex>
#include <set>

#include "tools/architecture/rules.hpp"

namespace weir::architecture {
namespace {

namespace fs = std::filesystem;

using Words = std::set<std::string, std::less<>>;

/// Whether git ignores a folder of this name, or keeps its own files there.
bool is_ignored(const std::string& folder) { return folder == "build" || folder.front() == '.'; }

/// The paths of a tree, its documents, and the words in the code of each source file.
class Tree {
 public:
  explicit Tree(const fs::path& root) {
    using Entries = fs::recursive_directory_iterator;
    for (Entries entry(root), end; entry != end; ++entry) {
      const auto path = entry->path().lexically_relative(root);
      if (entry->is_directory()) {
        if (is_ignored(path.filename().string())) {
          entry.disable_recursion_pending();
          continue;
        }
        // Documents name a path from the root, from src or from tests.
        const auto parent = path.parent_path();
        if (parent.empty() || parent == "src" || parent == "tests")
          folders_.insert(path.filename().string());
      } else {
        read(entry->path());
      }
      add(path.generic_string());
    }
    std::ranges::sort(documents_);
  }

  const std::vector<fs::path>& documents() const { return documents_; }
  /// Whether a file or a folder has this path, or ends with it, with or without its extension.
  bool has_path(std::string_view path) const { return ends_.contains(path); }
  /// Whether a path begins in a folder from which documents name paths.
  bool begins_in_folder(std::string_view path) const {
    return folders_.contains(path.substr(0, path.find('/')));
  }
  /// Whether the code of one file has all these words.
  bool has_words(const std::vector<std::string>& words) const {
    return std::ranges::any_of(words_, [&](const Words& file) {
      return std::ranges::all_of(words, [&](const auto& word) { return file.contains(word); });
    });
  }

 private:
  void read(const fs::path& file) {
    static const Words code{".hpp", ".cpp", ".h", ".c", ".cu", ".cmake", ".in", ".py", ".js"};
    const auto name = file.filename().string();
    if (name == "README.md")
      documents_.push_back(file);
    else if (name == "CMakeLists.txt" || code.contains(file.extension().string()))
      words_.push_back(words_of(file));
  }

  void add(const std::string& path) {
    for (std::size_t at = 0, next = 0; next != path.npos; at = next + 1) {
      next = path.find('/', at);
      const auto end = path.substr(at);
      ends_.insert(end);
      const auto dot = end.rfind('.');
      if (dot != end.npos && dot > end.rfind('/') + 1) ends_.insert(end.substr(0, dot));
    }
  }

  static Words words_of(const fs::path& file) {
    Words words;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
      const auto code = std::string_view(line).substr(0, line.find("//"));
      for (std::size_t at = 0; at < code.size();) {
        auto end = at;
        while (end < code.size() && in_word(code[end])) ++end;
        if (end > at) words.emplace(code.substr(at, end - at));
        at = std::max(end, at + 1);
      }
    }
    return words;
  }

  Words ends_, folders_;
  std::vector<fs::path> documents_;
  std::vector<Words> words_;
};

std::vector<std::string> split_name(const std::string& name) {
  static const std::regex word("[A-Za-z_]\\w*");
  return {std::sregex_token_iterator(name.begin(), name.end(), word), {}};
}

/// What is wrong with a name in backticks; empty if it is right, or neither a file nor a name in code.
std::string wrong_name(const Tree& tree, const std::string& name, bool of_file) {
  static const std::regex file(R"(([\w.+-]+/)*[\w.+-]+\.(cpp|hpp|py|cmake|js|awk|sed))"),
      path(R"(\w+/[\w./+-]*)"),
      // A member, a function, a type, or two words: `Strand::step`, `step()`, `WorkQueue`, `next_work`.
      in_code(R"((\w+::)+~?\w+(\(\))?|[a-z]\w*\(\)|[A-Z]+[a-z]\w*[A-Z]\w*|[a-z]\w*_\w+)"),
      other(R"((std|cv|torch)::.*|.*NAME.*)");
  if (std::regex_match(name, other)) return {};
  if (of_file || std::regex_match(name, file) ||
      (std::regex_match(name, path) && tree.begins_in_folder(name))) {
    const auto end = name.find_last_not_of('/') + 1;
    const auto file_name = name.substr(0, end);
    // CMake makes NAME of NAME.in.
    return tree.has_path(file_name) ||
                   tree.has_path(file_name.substr(file_name.rfind('/') + 1) + ".in")
               ? ""
               : "no such file: " + name;
  }
  if (!std::regex_match(name, in_code)) return {};
  auto words = split_name(name);
  if (words.size() > 2) words.erase(words.begin(), words.end() - 2);
  return tree.has_words(words) ? "" : "nothing in the code has this name: " + name;
}

void check_document(const Tree& tree, const fs::path& root, const fs::path& document,
                    std::vector<Breach>& breaches) {
  static const std::regex quoted("`([^`]+)`");
  std::ifstream in(document);
  int number = 0;
  bool program = false, files = false;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.starts_with("```")) program = !program;
    if (program) continue;
    // The first cell of each row of a table of files names files.
    if (line.starts_with("| file |")) files = true;
    if (!line.starts_with('|')) files = false;
    const auto first_cell = files ? line.find(" | ") : 0;
    for (std::sregex_iterator at(line.begin(), line.end(), quoted), end; at != end; ++at) {
      const bool of_file = static_cast<std::size_t>(at->position()) < first_cell;
      const auto wrong = wrong_name(
          tree, (*at)[1].str(), of_file && (*at)[1].str().find_first_of("* ") == std::string::npos);
      if (!wrong.empty())
        breaches.push_back({document.lexically_relative(root).generic_string(), number, wrong});
    }
  }
}

}  // namespace

std::vector<Breach> check_documents(const fs::path& root) {
  const Tree tree(root);
  std::vector<Breach> breaches;
  for (const auto& document : tree.documents()) check_document(tree, root, document, breaches);
  return breaches;
}

}  // namespace weir::architecture
