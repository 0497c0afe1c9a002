#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace weir::test {

/// The sentences of a page: of paragraphs, list items and table cells, without code blocks. A code
/// span counts as one word, and a link as its text.
std::vector<std::string> sentences(const std::string& markdown);

/// Words with at least one letter or digit.
std::size_t count_words(const std::string& sentence);

}  // namespace weir::test
