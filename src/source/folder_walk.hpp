#pragma once

#include <array>
#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "source/class_labels.hpp"
#include "source/file_reader.hpp"
#include "source/name_table.hpp"

namespace weir::source {

/// The file that `weir pack --jpegs-to` has in its folder until all files are there.
inline constexpr auto unfinished_pack = "pack.unfinished";

/// An entry that could not be read and might be a sample or hold samples.
struct Unreached {
  std::string path;  ///< relative to the root
  std::string reason;
};

/// Why an entry of a folder is not a sample.
enum class LeftOut : std::uint8_t {
  hidden,           ///< its name begins with a dot
  other_extension,  ///< it has none of the requested extensions
  shard,            ///< a tar file
  never_image,      ///< it has an extension that no image has
  link,             ///< a link that is not followed, or that leads to a folder above it
  other_class,      ///< a top directory that is none of the chosen classes
  unreached,        ///< it cannot be read
  no_file           ///< neither file nor folder
};
/// The entries that were left out for one reason.
struct LeftOutEntries {
  std::uint64_t count = 0;
  std::string example;  ///< path of one of them, relative to the root
};
/// In the order of LeftOut.
using AllLeftOut = std::array<LeftOutEntries, static_cast<std::size_t>(LeftOut::no_file) + 1>;

/// The contents of a folder.
struct FolderListing {
  NameTable names;                ///< names of the samples, relative to the root, in byte order
  std::vector<std::string> tops;  ///< the top directories, in byte order, also those left out
  AllLeftOut left_out;
  std::vector<Unreached> unreached;  ///< entries that cannot be read, by path
};

/// Whether the walk takes a file of that name. `suffixes`: those of walk_folder().
bool takes_name(std::string_view name, const std::vector<std::string>& suffixes);

/// Lists all directories below `reader`'s root with up to `threads` threads. `suffixes` are in
/// lower case; empty means every file. `only`: other top directories are left out; null: none is.
/// `path` is used in messages. Throws what ImageFolder's constructor throws.
FolderListing walk_folder(const FileReader& reader, const std::string& path,
                          const std::vector<std::string>& suffixes, const ClassLabels* only,
                          unsigned threads, const std::stop_token& stop);

}  // namespace weir::source
