#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weir::test {

/// The contents of the fenced blocks of `language`, each with its final newline.
std::vector<std::string> blocks(const std::string& markdown, std::string_view language);

/// The words of every line of `sh` blocks, without comments and with continued lines joined, and of
/// every code span outside blocks.
std::vector<std::vector<std::string>> commands(const std::string& markdown);

/// The targets of the links of `markdown` to files.
std::vector<std::string> linked_files(const std::string& markdown);

}  // namespace weir::test
