#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "shards/shard_file.hpp"

namespace weir::shards {

/// A regular file in a tar archive.
struct Member {
  std::string_view name;     ///< as stored; valid during the call
  std::uint64_t header = 0;  ///< offset of the first of its headers
  std::uint64_t offset = 0;  ///< offset of its bytes
  std::uint64_t bytes = 0;   ///< size
};

/// Calls `each` for the regular files of an uncompressed tar archive, in their order. Only headers are
/// read; folders are passed over. Memory is bounded whatever the archive says. Throws
/// Error{source_failed} with shard, offset and what to do for anything that cannot be read in place:
/// an archive that is cut short, compressed or followed by other bytes, a link, a device, a sparse
/// member, one of 4 GiB or more, a path that is absolute or has "..". The same if `stop` is requested.
void read_members(const ShardFile& shard, const std::function<void(const Member&)>& each,
                  const std::stop_token& stop);

}  // namespace weir::shards
