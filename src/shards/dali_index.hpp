#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "shards/members.hpp"

namespace weir::shards {

// The index of NVIDIA DALI's webdataset reader: wds2idx, version v1.2. A line for each sample, with
// extension, offset, size and name of each of its members.

/// Throws Error{bad_options} if two of the shards have one index in `folder`. DALI ends a name at its
/// first dot: "train-0.idx" is for "train-0.tar", and for "train-0.b.tar", too.
void check_dali_names(const std::string& folder, const std::vector<ShardFile>& shards);

/// Calls `each` for the members in the index of the shard. Throws Error{source_failed} with file and
/// line for a wrong index, and for ranges that overlap or are outside of the shard.
void read_dali_index(const std::string& folder, const ShardFile& shard,
                     const std::function<void(const Member&)>& each);

/// Writes the index of the shard into `folder`. Throws std::system_error if it cannot write, and
/// Error{source_failed} for a name with a space, which the format cannot hold.
void write_dali_index(const std::string& folder, const ShardFile& shard,
                      const std::stop_token& stop);

}  // namespace weir::shards
