#include "report/table.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>

namespace weir::report {

std::size_t display_width(const std::string& text) noexcept {
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
  std::vector<std::size_t> widths(left_.size());
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], display_width(row[i]));
  const bool has_headings = std::ranges::any_of(
      rows_.front(), [](const std::string& heading) { return !heading.empty(); });

  std::string out;
  for (const auto& row : std::span(rows_).subspan(has_headings ? 0 : 1)) {
    std::string line(indent_, ' ');
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) line += "  ";
      const std::string blanks(widths[i] - display_width(row[i]), ' ');
      line += left_[i] ? row[i] + blanks : blanks + row[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

}  // namespace weir::report
