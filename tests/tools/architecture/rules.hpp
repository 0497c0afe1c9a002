#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir::architecture {

/// The rules in src/layers.cmake.
struct Rules {
  struct Fence {
    std::string prefix;               ///< of the included path
    std::vector<std::string> layers;  ///< those that may include it
  };

  std::map<std::string, int> ranks;            ///< layer -> rank in the order; siblings share one
  std::map<std::string, std::string> headers;  ///< public header, relative to include/weir -> layer
  std::vector<Fence> fences;

  /// True if a file of layer `from` may include one of layer `to`.
  bool may_include(const std::string& from, const std::string& to) const;
  /// The fence around an included path, if there is one.
  std::optional<Fence> fence_around(const std::string& path) const;
};

/// Reads the set(WEIR_... values) commands. Throws std::runtime_error if the layers are missing.
Rules read_rules(const std::filesystem::path& layers_cmake);

/// A line that breaks a rule.
struct Breach {
  std::string file;  ///< relative to the root
  int line = 0;      ///< from 1; 0 for the file as a whole
  std::string rule;
};
std::ostream& operator<<(std::ostream& out, const Breach& breach);

/// Checks every #include under include/ and src/ of the tree at `root` against its
/// src/layers.cmake.
std::vector<Breach> check_includes(const std::filesystem::path& root);

/// Checks the lengths of the source files under include, src, bench, examples and tests.
std::vector<Breach> check_lengths(const std::filesystem::path& root, std::size_t longest = 600);

/// Checks that each header under src has at most one class.
std::vector<Breach> check_classes(const std::filesystem::path& root);

/// Checks that code under include and src has no retired name, key or label.
std::vector<Breach> check_names(const std::filesystem::path& root);

/// Checks that names of test cases are short and need no other test to be understood.
std::vector<Breach> check_case_names(const std::filesystem::path& root);

/// Checks that code under include and src uses no clock that can be set.
std::vector<Breach> check_clocks(const std::filesystem::path& root);

/// Checks that each file, function and type in backticks in a README.md exists. Not in folders that git ignores.
std::vector<Breach> check_documents(const std::filesystem::path& root);

/// Whether a C++ identifier may contain `c`.
bool in_word(char c);

/// Checks every line of code under include and src, without its comment. `find` returns what breaks the rule,
/// or nothing; the breach is that text and `why`.
std::vector<Breach> check_code(const std::filesystem::path& root,
                               const std::function<std::string(std::string_view)>& find,
                               const std::string& why);

/// Every .hpp and .cpp file under `folder`, sorted. Empty if the folder does not exist.
std::vector<std::filesystem::path> source_files(const std::filesystem::path& folder);

}  // namespace weir::architecture
