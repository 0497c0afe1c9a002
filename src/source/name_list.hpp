#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weir/source.hpp"

namespace weir::source {

// A file with one name per line. Names are bytes, as in the first column of a manifest. File names
// may contain a backslash, a newline or a carriage return; these are written \\, \n, \r.

/// The line of a name, with its newline.
std::string name_line(std::string_view name);

/// Throws Error{source_failed} if the file cannot be read, is larger than most_list_bytes, or if a
/// line has another escape.
std::vector<std::string> read_name_list(const std::string& path);

/// The result of without().
struct Without {
  AnySource source;
  std::uint64_t unknown = 0;  ///< number of names that no sample has
  std::string first_unknown;  ///< the first of them in byte order
};

/// Removes every sample whose name is in `names`. The others keep their order, label and class.
Without without(AnySource source, std::vector<std::string> names);

}  // namespace weir::source
