#pragma once

#include <string>
#include <vector>

namespace weir::shards {

/// The names in a folder, without "." and "..", in any order. Unlike std::filesystem's iterator it
/// does not end the process if there is no memory. Throws Error{source_failed} with the path, and
/// std::bad_alloc.
std::vector<std::string> names_in(const std::string& folder);

/// The shards of a folder: its files *.tar, in byte order. Throws as names_in().
std::vector<std::string> tar_names_in(const std::string& folder);

}  // namespace weir::shards
