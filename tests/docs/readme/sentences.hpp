#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace weir::test {

/// Sentences of a page: of its paragraphs, list items and table cells, without code blocks. A code span is
/// one word, a link is its text.
std::vector<std::string> sentences(const std::string& markdown);

/// Words with at least one letter or digit.
std::size_t count_words(const std::string& sentence);

}  // namespace weir::test
