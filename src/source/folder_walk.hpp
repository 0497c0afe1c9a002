#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "source/file_reader.hpp"
#include "source/name_table.hpp"

namespace weir::source {

/// Lower case in ASCII, independent of the locale.
constexpr char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// An entry that could not be read and might be a sample or hold samples.
struct Unreached {
  std::string path;  ///< relative to the root
  std::string reason;
};

/// The contents of a folder.
struct FolderListing {
  NameTable names;                ///< names of the samples, relative to the root, in byte order
  std::vector<std::string> tops;  ///< the top directories, in byte order
  std::uint64_t skipped = 0;      ///< entries that are neither sample nor readable directory
  std::vector<Unreached> unreached;  ///< skipped ones that cannot be read, by path
};

/// Lists all directories below `reader`'s root with up to `threads` threads. `suffixes` are in
/// lower case; empty means every file. `path` is used in messages. Throws what ImageFolder's
/// constructor throws.
FolderListing walk_folder(const FileReader& reader, const std::string& path,
                          const std::vector<std::string>& suffixes, unsigned threads);

}  // namespace weir::source
