#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace weir::report {

/// Aligned columns for a terminal: one line a row, two spaces between columns, no trailing blanks.
/// Widths count code points, so "×" and "…" align.
class Table {
 public:
  enum class Align { left, right };
  struct Column {
    std::string heading;
    Align align = Align::right;
  };
  /// One for each of the headings, between which stands '|'; "<name": to the left.
  static std::vector<Column> columns(std::string_view headings);

  /// Without any heading the table has no heading line.
  explicit Table(std::vector<Column> columns, std::size_t indent = 2);

  /// As many cells as there are columns.
  void add(std::vector<std::string> cells);
  bool empty() const noexcept { return rows_.empty(); }
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
  std::size_t indent_;
};

/// Number of code points in UTF-8 text.
std::size_t display_width(const std::string& text) noexcept;

}  // namespace weir::report
