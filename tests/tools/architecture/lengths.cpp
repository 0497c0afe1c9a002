#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include "tools/architecture/rules.hpp"

namespace weir::architecture {
namespace {

namespace fs = std::filesystem;

std::size_t line_count(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return static_cast<std::size_t>(std::count(std::istreambuf_iterator<char>(in), {}, '\n'));
}

/// The classes at the outermost level of a header. A scoped lock belongs to its mutex.
std::size_t class_count(const fs::path& file) {
  std::ifstream in(file);
  std::size_t count = 0;
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("class ") && !line.ends_with(';') &&
        !line.starts_with("class WEIR_SCOPED_CAPABILITY "))
      ++count;
  return count;
}

}  // namespace

std::vector<Breach> check_classes(const fs::path& root) {
  std::vector<Breach> breaches;
  for (const auto& file : source_files(root / "src"))
    if (const auto count = class_count(file); file.extension() == ".hpp" && count > 1)
      breaches.push_back({file.lexically_relative(root).generic_string(), 0,
                          std::to_string(count) + " classes, a header has one"});
  return breaches;
}

std::vector<Breach> check_lengths(const fs::path& root, std::size_t longest) {
  std::vector<Breach> breaches;
  bool any = false;
  for (const auto* folder : {"include", "src", "bench", "examples", "tests"}) {
    for (const auto& file : source_files(root / folder)) {
      any = true;
      if (const auto lines = line_count(file); lines > longest) {
        breaches.push_back({file.lexically_relative(root).generic_string(), 0,
                            std::to_string(lines) + " lines, at most " + std::to_string(longest)});
      }
    }
  }
  if (!any) return {{".", 0, "no source files"}};
  return breaches;
}

}  // namespace weir::architecture
