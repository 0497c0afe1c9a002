#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace weir::report {

/// Aligned columns for a terminal: one line per row, two spaces between columns, no trailing
/// spaces. Widths count code points, so "×" and "…" align.
class Table {
 public:
  /// One column per heading. Headings are separated by '|'; "<name" is aligned to the left. Without
  /// headings the table has no heading line.
  explicit Table(std::string_view headings, std::size_t indent = 2);

  /// Adds a column at the right. Call it before the first row. The heading may contain any
  /// character.
  void add_column(std::string heading);
  /// Adds a row with one cell per column.
  void add(std::vector<std::string> cells);
  bool empty() const noexcept { return rows_.size() == 1; }
  std::string text() const;

 private:
  std::vector<bool> left_;                      ///< by column
  std::vector<std::vector<std::string>> rows_;  ///< the first row contains the headings
  std::size_t indent_;
};

/// Number of code points in UTF-8 text.
std::size_t display_width(const std::string& text) noexcept;

}  // namespace weir::report
