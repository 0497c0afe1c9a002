#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "source/file_descriptor.hpp"

namespace weir::shards {

/// A shard on a local disk, open for reading. Reads are thread-safe.
struct ShardFile {
  std::string path;             ///< as given
  std::string name;             ///< in the index
  source::FileDescriptor file;  ///< a regular file
  std::uint64_t bytes = 0;      ///< its size
};

/// Opens a shard without blocking. Throws Error{source_failed} with the path and what to do.
ShardFile open_shard(std::string path, std::string name);

/// Reads from `offset` on with one call, if that is enough. Returns the bytes that were read: fewer
/// only at the end of the file or, with errno set, before a failure.
std::size_t read_at(const ShardFile& shard, std::uint64_t offset,
                    std::span<std::byte> into) noexcept;

/// Error{source_failed}: "shard PATH: at byte OFFSET: WHY".
[[noreturn]] void refuse_shard(const ShardFile& shard, std::uint64_t offset,
                               const std::string& why);

}  // namespace weir::shards
