#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace weir::report {

/// The most columns of a text for a terminal.
inline constexpr std::size_t text_width = 80;
/// The fewest columns in which wrapped() breaks words.
inline constexpr std::size_t least_words = 24;

/// Aligned columns for a terminal: one line per row, two spaces between columns, no trailing
/// spaces. Widths count code points, so "×" and "…" align. A table that is wider than text_width
/// becomes several, each with the columns that name a row: the first, and columns of words that follow
/// it. A last column of words may be wider; wrapped() breaks it.
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
std::size_t display_width(std::string_view text) noexcept;

/// `text` with lines of at most `width` columns, broken at blanks. A broken line continues below its
/// last column, which begins after two blanks or more. What is copied or searched stays whole: the next
/// command, and what is wrong with a file ("a.jpg: truncated"). So do lines of numbers.
std::string wrapped(std::string_view text, std::size_t width = text_width);

}  // namespace weir::report
