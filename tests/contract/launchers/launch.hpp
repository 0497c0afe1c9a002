#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "program.hpp"
#include "support/temporary_folder.hpp"

namespace weir::test {

/// Whether a program is on the path.
inline bool installed(const std::string& program) {
  std::istringstream folders(std::getenv("PATH") ? std::getenv("PATH") : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (std::filesystem::exists(std::filesystem::path(folder) / program)) return true;
  return false;
}

/// `mpirun` of `ranks` processes on this machine. It also works for root and in a machine with fewer
/// CPUs. Two that begin at once would make the same folder, and one of them would fail.
inline std::vector<std::string> mpirun(int ranks) {
  static const TemporaryFolder sessions;
  return {"mpirun", "--allow-run-as-root", "--oversubscribe",
          "--mca",  "orte_tmpdir_base",    sessions.string(),
          "-n",     std::to_string(ranks)};
}

/// The words, then `more`.
inline std::vector<std::string> operator+(std::vector<std::string> words,
                                          const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// Lines in the order of the alphabet, because ranks print in any order.
inline std::vector<std::string> sorted_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream all(text);
  for (std::string line; std::getline(all, line);)
    if (!line.empty()) lines.push_back(line);
  std::ranges::sort(lines);
  return lines;
}

}  // namespace weir::test
