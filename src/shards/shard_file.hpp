#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/file_descriptor.hpp"

namespace weir::shards {

/// A shard on a local disk, open for reading. Reads are thread-safe.
struct ShardFile {
  std::string path;         ///< as given
  std::string name;         ///< in the index
  FileDescriptor file;      ///< a regular file
  std::uint64_t bytes = 0;  ///< its size
};

/// Opens a shard without blocking. Throws Error{source_failed} with the path and what to do.
ShardFile open_shard(std::string path, std::string name);

/// The names of the shards of a folder: its files *.tar, in byte order. Throws as names_in().
std::vector<std::string> tar_names_in(const std::string& folder);

/// Error{source_failed}: "shard PATH: at byte OFFSET: WHY".
[[noreturn]] void refuse_shard(const ShardFile& shard, std::uint64_t offset,
                               const std::string& why);

}  // namespace weir::shards
