#include "sentences.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace weir::test {
namespace {

/// The text with code spans as one word each and links as their text.
std::string plain(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '`') {
      const auto end = text.find('`', i + 1);
      if (end == std::string::npos) break;
      out += "code";
      i = end;
    } else if (text[i] == ']' && i + 1 < text.size() && text[i + 1] == '(') {
      i = std::min(text.find(')', i), text.size());
    } else if (text[i] != '[' && text[i] != '*') {
      out += text[i];
    }
  }
  return out;
}

void split(const std::string& paragraph, std::vector<std::string>& out) {
  const auto text = plain(paragraph);
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool ends = text[i] == '.' || text[i] == '!' || text[i] == '?';
    if (!ends || (i + 1 < text.size() && text[i + 1] != ' ')) continue;
    out.push_back(text.substr(begin, i + 1 - begin));
    begin = i + 1;
  }
  if (count_words(text.substr(begin)) > 0) out.push_back(text.substr(begin));
}

bool begins_item(const std::string& line) {
  if (line.starts_with("- ") || line.starts_with("* ")) return true;
  const auto digits = line.find_first_not_of("0123456789");
  return digits != 0 && digits != std::string::npos && line.compare(digits, 2, ". ") == 0;
}

}  // namespace

std::vector<std::string> sentences(const std::string& markdown) {
  std::vector<std::string> found;
  std::string paragraph;
  const auto flush = [&] {
    split(paragraph, found);
    paragraph.clear();
  };
  bool code = false;
  std::istringstream in(markdown);
  for (std::string line; std::getline(in, line);) {
    line.erase(0, std::min(line.find_first_not_of(' '), line.size()));
    if (line.starts_with("```")) {
      code = !code;
      flush();
    } else if (code) {
      continue;
    } else if (line.empty() || line[0] == '#' || line[0] == '<' || line[0] == '!') {
      flush();
    } else if (line[0] == '|') {
      flush();
      std::istringstream cells(line);
      for (std::string cell; std::getline(cells, cell, '|');) split(cell, found);
    } else {
      if (begins_item(line)) flush();
      paragraph += line + ' ';
    }
  }
  flush();
  return found;
}

std::size_t count_words(const std::string& sentence) {
  std::istringstream in(sentence);
  std::size_t count = 0;
  for (std::string word; in >> word;)
    count += std::ranges::any_of(word, [](unsigned char c) { return std::isalnum(c) != 0; });
  return count;
}

}  // namespace weir::test
