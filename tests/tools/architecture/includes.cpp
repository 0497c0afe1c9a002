#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <string_view>

#include "tools/architecture/rules.hpp"

namespace weir::architecture {
namespace {

namespace fs = std::filesystem;

struct Include {
  int line = 0;
  bool quoted = false;
  std::string path;
};

std::vector<Include> includes_of(const fs::path& file) {
  std::vector<Include> includes;
  std::ifstream in(file);
  std::string text;
  for (int line = 1; std::getline(in, text); ++line) {
    std::istringstream words(text);
    char hash = 0, opening = 0;
    std::string include;
    words >> hash >> std::ws;
    for (; include.size() < std::string_view("include").size() && words.peek() != EOF;)
      include += static_cast<char>(words.get());
    words >> opening;
    std::string path;
    std::getline(words, path);
    const auto end = path.find_first_of(">\"");
    if (hash == '#' && include == "include" && (opening == '<' || opening == '"') &&
        end != path.npos)
      includes.push_back({line, opening == '"', path.substr(0, end)});
  }
  return includes;
}

bool starts_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

bool is_standard(std::string_view path) {
  return path.find_first_of("./") == std::string_view::npos;
}

/// The system's own headers need no library, so they have no fence.
bool is_system(std::string_view path) {
  static constexpr std::array folders{"sys/", "linux/", "netinet/", "arpa/", "net/"};
  static constexpr std::array files{
      "cpuid.h",    "dirent.h", "errno.h",     "fcntl.h", "immintrin.h", "malloc.h", "pthread.h",
      "poll.h",     "sched.h",  "signal.h",    "spawn.h", "termios.h",   "time.h",   "unistd.h",
      "arm_neon.h", "netdb.h",  "x86intrin.h", "glob.h",  "execinfo.h"};
  return std::any_of(folders.begin(), folders.end(),
                     [&](auto f) { return starts_with(path, f); }) ||
         std::find(files.begin(), files.end(), path) != files.end();
}

class Checker {
 public:
  explicit Checker(const fs::path& root)
      : root_(root), rules_(read_rules(root / "src" / "layers.cmake")) {}

  std::vector<Breach> run() {
    for (const auto& file : source_files(root_ / "include")) check_public(file);
    for (const auto& file : source_files(root_ / "src")) check_private(file);
    return std::move(breaches_);
  }

 private:
  void check_public(const fs::path& file) {
    const auto header = file.lexically_relative(root_ / "include" / "weir").generic_string();
    const auto listed = rules_.headers.find(header);
    if (listed == rules_.headers.end()) {
      add(file, 0, "public header that src/layers.cmake gives to no layer");
      return;
    }
    const bool adapter = starts_with(header, "interop/");
    for (const auto& include : includes_of(file)) {
      if (!include.quoted && is_standard(include.path)) continue;
      if (include.quoted && starts_with(include.path, "weir/")) {
        check_order(file, include, listed->second);
      } else if (!adapter) {
        add(file, include.line,
            "public header includes <" + include.path + ">: the standard library and weir/ only");
      }
    }
  }

  void check_private(const fs::path& file) {
    const auto layer = file.lexically_relative(root_ / "src").begin()->string();
    if (rules_.ranks.count(layer) == 0) {
      add(file, 0, "src/" + layer + " is not a layer");
      return;
    }
    for (const auto& include : includes_of(file)) {
      if (!include.quoted && (is_standard(include.path) || is_system(include.path))) continue;
      const auto folder = include.path.substr(0, include.path.find('/'));
      if (include.quoted && (folder == "weir" || rules_.ranks.count(folder) != 0)) {
        check_order(file, include, layer);
      } else {
        check_fence(file, include, layer);
      }
    }
  }

  void check_order(const fs::path& file, const Include& include, const std::string& layer) {
    const auto target = layer_of(include.path);
    if (target.empty()) {
      add(file, include.line, include.path + " belongs to no layer");
    } else if (!rules_.may_include(layer, target)) {
      add(file, include.line, layer + " includes " + include.path + ", which is " + target);
    }
  }

  void check_fence(const fs::path& file, const Include& include, const std::string& layer) {
    const auto fence = rules_.fence_around(include.path);
    if (!fence) {
      add(file, include.line, include.path + " is neither a path from src or include nor fenced");
    } else if (std::find(fence->layers.begin(), fence->layers.end(), layer) ==
               fence->layers.end()) {
      add(file, include.line, layer + " includes " + include.path + " from behind its fence");
    }
  }

  std::string layer_of(const std::string& path) const {
    const auto slash = path.find('/');
    const auto folder = path.substr(0, slash);
    if (folder != "weir") return folder;
    const auto listed = rules_.headers.find(path.substr(slash + 1));
    return listed == rules_.headers.end() ? "" : listed->second;
  }

  void add(const fs::path& file, int line, std::string rule) {
    breaches_.push_back({file.lexically_relative(root_).generic_string(), line, std::move(rule)});
  }

  fs::path root_;
  Rules rules_;
  std::vector<Breach> breaches_;
};

}  // namespace

std::vector<Breach> check_includes(const fs::path& root) { return Checker(root).run(); }

}  // namespace weir::architecture
