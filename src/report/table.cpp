#include "report/table.hpp"

#include <algorithm>
#include <stdexcept>

namespace weir::report {

std::size_t display_width(const std::string& text) noexcept {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::vector<Table::Column> Table::columns(std::string_view headings) {
  std::vector<Column> columns;
  for (std::size_t at = 0; at <= headings.size();) {
    auto heading = headings.substr(at, headings.find('|', at) - at);
    at += heading.size() + 1;
    const bool left = heading.starts_with('<');
    if (left) heading.remove_prefix(1);
    columns.push_back({std::string(heading), left ? Align::left : Align::right});
  }
  return columns;
}

Table::Table(std::vector<Column> columns, std::size_t indent)
    : columns_(std::move(columns)), indent_(indent) {}

void Table::add(std::vector<std::string> cells) {
  if (cells.size() != columns_.size())
    throw std::logic_error("a table row has the wrong number of cells");
  rows_.push_back(std::move(cells));
}

std::string Table::text() const {
  std::vector<std::string> headings;
  for (const auto& column : columns_) headings.push_back(column.heading);
  const bool has_headings = std::any_of(headings.begin(), headings.end(),
                                        [](const auto& heading) { return !heading.empty(); });

  std::vector<std::size_t> widths(columns_.size());
  const auto widen = [&](const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i)
      widths[i] = std::max(widths[i], display_width(cells[i]));
  };
  widen(headings);
  for (const auto& row : rows_) widen(row);

  std::string out;
  const auto write = [&](const std::vector<std::string>& cells) {
    std::string line(indent_, ' ');
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) line += "  ";
      const std::string blanks(widths[i] - display_width(cells[i]), ' ');
      line += columns_[i].align == Align::left ? cells[i] + blanks : blanks + cells[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  };
  if (has_headings) write(headings);
  for (const auto& row : rows_) write(row);
  return out;
}

}  // namespace weir::report
