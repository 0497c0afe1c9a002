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
  /// A column for each of the headings, between which stands '|'; "<name": to the left. Without any
  /// heading the table has no heading line.
  explicit Table(std::string_view headings, std::size_t indent = 2);

  /// One more column, to the right, before the first row. The heading may hold any character.
  void add_column(std::string heading);
  /// As many cells as there are columns.
  void add(std::vector<std::string> cells);
  bool empty() const noexcept { return rows_.size() == 1; }
  std::string text() const;

 private:
  std::vector<bool> left_;                      ///< by column
  std::vector<std::vector<std::string>> rows_;  ///< the headings first
  std::size_t indent_;
};

/// Number of code points in UTF-8 text.
std::size_t display_width(const std::string& text) noexcept;

}  // namespace weir::report
