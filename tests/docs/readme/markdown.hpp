#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weir::test {

/// Contents of the fenced blocks of `language`, each with its last newline.
std::vector<std::string> blocks(const std::string& markdown, std::string_view language);

/// Words of every line of `sh` blocks, comments and line ends with a backslash taken away, and of
/// every code span outside of blocks.
std::vector<std::vector<std::string>> commands(const std::string& markdown);

/// Where the links of `markdown` lead that lead to files.
std::vector<std::string> linked_files(const std::string& markdown);

}  // namespace weir::test
