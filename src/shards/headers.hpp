#pragma once

#include <cstdint>

#include "shards/members.hpp"

namespace weir::shards {

/// Bytes of a header. What follows it fills whole blocks.
inline constexpr std::uint64_t block = 512;

/// Reads the headers of a member again, and refuses sizes that libarchive understands and tar refuses,
/// or reads otherwise: digits with something behind them, a size for all members, the size of a sparse
/// member. Throws Error{source_failed} with shard, offset and what to do.
void check_sizes(const ShardFile& shard, const Member& member);

}  // namespace weir::shards
