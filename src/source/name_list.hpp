#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weir/source.hpp"

namespace weir::source {

// A list of names in a file, one a line, in bytes as a manifest's first column has them; but a
// backslash, a newline and a carriage return, which names of files may hold, are written \\, \n, \r.

/// The line of a name, its newline included.
std::string name_line(std::string_view name);

/// Throws Error{source_failed} where there is no such file or a line has another escape.
std::vector<std::string> read_name_list(const std::string& path);

/// A source without some of its samples.
struct Without {
  AnySource source;
  std::uint64_t unknown = 0;  ///< names that no sample has
};

/// Every sample called by one of `names` is left out. What is left keeps order, label and class.
Without without(AnySource source, std::vector<std::string> names);

}  // namespace weir::source
