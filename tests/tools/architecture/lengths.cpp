#include <algorithm>
#include <fstream>
#include <iterator>

#include "tools/architecture/rules.hpp"

namespace weir::architecture {
namespace {

namespace fs = std::filesystem;

std::size_t line_count(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return static_cast<std::size_t>(std::count(std::istreambuf_iterator<char>(in), {}, '\n'));
}

}  // namespace

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
