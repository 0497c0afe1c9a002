#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "source/file_reader.hpp"
#include "source/name_table.hpp"

namespace weir::source {

/// In lower case, whatever the locale.
constexpr char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// An entry that could hold a sample, or many, and could not be looked at.
struct Unreached {
  std::string path;  ///< relative to the root
  std::string reason;
};

/// What lies under a folder.
struct FolderListing {
  NameTable names;                ///< of the samples, relative to the root, in byte order
  std::vector<std::string> tops;  ///< the top directories, in byte order
  std::uint64_t skipped = 0;      ///< entries that are neither sample nor readable directory
  std::vector<Unreached> unreached;  ///< of those: what leads nowhere or may not be read, by path
};

/// Lists all directories under `reader`'s root, by up to `threads` threads at once. `suffixes` are in
/// lower case; none: every file. `path` is for messages. Throws what ImageFolder's constructor does.
FolderListing walk_folder(const FileReader& reader, const std::string& path,
                          const std::vector<std::string>& suffixes, unsigned threads);

}  // namespace weir::source
