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

std::vector<Breach> check_lengths(const fs::path& root, const LengthLimits& limits) {
  std::vector<Breach> breaches;
  std::vector<std::size_t> lengths;
  for (const auto* folder : {"include", "src", "bench", "examples", "tests"}) {
    for (const auto& file : source_files(root / folder)) {
      lengths.push_back(line_count(file));
      if (lengths.back() > limits.longest) {
        breaches.push_back(
            {file.lexically_relative(root).generic_string(), 0,
             std::to_string(lengths.back()) + " lines, at most " + std::to_string(limits.longest)});
      }
    }
  }
  if (lengths.empty()) return {{".", 0, "no source files"}};
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  if (*middle > limits.median) {
    breaches.push_back({".", 0,
                        "median of " + std::to_string(*middle) + " lines, at most " +
                            std::to_string(limits.median)});
  }
  return breaches;
}

}  // namespace weir::architecture
