#include "report/table.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>

namespace weir::report {

std::size_t display_width(std::string_view text) noexcept {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

Table::Table(std::string_view headings, std::size_t indent) : rows_(1), indent_(indent) {
  for (std::size_t at = 0; at <= headings.size();) {
    auto heading = headings.substr(at, headings.find('|', at) - at);
    at += heading.size() + 1;
    const bool left = heading.starts_with('<');
    if (left) heading.remove_prefix(1);
    add_column(std::string(heading));
    left_.back() = left;
  }
}

void Table::add_column(std::string heading) {
  rows_.front().push_back(std::move(heading));
  left_.push_back(false);
}

void Table::add(std::vector<std::string> cells) {
  if (cells.size() != left_.size())
    throw std::logic_error("a table row has the wrong number of cells");
  rows_.push_back(std::move(cells));
}

std::string Table::text() const {
  const auto columns = left_.size();
  std::vector<std::size_t> widths(columns);
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < columns; ++i)
      widths[i] = std::max(widths[i], display_width(row[i]));
  const bool has_headings = std::ranges::any_of(
      rows_.front(), [](const std::string& heading) { return !heading.empty(); });
  std::size_t names = 1;
  while (names < columns && left_[names]) ++names;

  std::string out;
  for (std::size_t begin = names, end = 0; end < columns; begin = end) {
    auto width = indent_;
    for (end = 0; end < columns; ++end) {
      if (end >= names && end < begin) continue;
      const bool words = left_[end] && end + 1 == columns;
      width += words ? std::min(widths[end], least_words) : widths[end];
      if (end > begin && width > text_width) break;
      width += 2;
    }
    if (!out.empty()) out += '\n';
    for (const auto& row : std::span(rows_).subspan(has_headings ? 0 : 1)) {
      std::string line(indent_, ' ');
      for (std::size_t i = 0; i < end; ++i) {
        if (i >= names && i < begin) continue;
        if (i > 0) line += "  ";
        const std::string blanks(widths[i] - display_width(row[i]), ' ');
        line += left_[i] ? row[i] + blanks : blanks + row[i];
      }
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + '\n';
    }
  }
  return out;
}

std::string wrapped(std::string_view text, std::size_t width) {
  std::string out;
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const auto gap = line.rfind("  ");
    const auto begin = gap == line.npos ? 0 : gap + 2;
    const auto indent = display_width(line.substr(0, begin));
    const auto name = line.substr(begin, line.find(' ', begin) - begin);
    const bool copied = name == "Next:" || name == "weir" ||
                        (name.ends_with(':') && name.find_first_of("./") != name.npos);
    const bool whole = display_width(line) <= width || indent + least_words > width || copied;
    out += line.substr(0, whole ? line.npos : begin);
    auto column = indent;
    for (auto rest = line.substr(whole ? line.size() : begin); !rest.empty();) {
      auto end = rest.find(' ');
      // A number stays with its unit.
      while (end != rest.npos && end > 0 && rest[end - 1] >= '0' && rest[end - 1] <= '9')
        end = rest.find(' ', end + 1);
      const auto word = rest.substr(0, end);
      rest.remove_prefix(std::min(word.size() + 1, rest.size()));
      if (column > indent && column + 1 + display_width(word) > width) {
        out += '\n' + std::string(indent, ' ');
        column = indent;
      } else if (column > indent) {
        out += ' ';
        ++column;
      }
      out += word;
      column += display_width(word);
    }
    out += '\n';
  }
  return out;
}

}  // namespace weir::report
