#pragma once

#include <atomic>
#include <cstdint>
#include <stop_token>

#include "shards/index.hpp"
#include "shards/tar_shards.hpp"
#include "weir/codec.hpp"

namespace weir::shards {

/// How shards are read whole.
struct ReadWhole {
  DecodeLimits limits{};
  std::stop_token stop{};
  std::atomic<std::uint64_t>* done = nullptr;  ///< counts the bytes that were read
};

/// The index of the shards, with the checksums of shards and samples, and the sizes of images whose
/// header can be read. Each shard is read once, several at the same time. A thread needs 1 MiB and one
/// image. An image above max_encoded_bytes, one that EXIF turns and one of another format has no size
/// in it. Throws Error{source_failed}, also if `stop` is requested.
Index complete_index(const TarShards& shards, const ReadWhole& how);

/// A sample or a shard whose bytes are not those of the index.
struct WrongChecksum {
  std::uint32_t shard = 0;
  std::optional<std::uint64_t> sample{};  ///< empty: bytes of the shard that belong to no image
};

/// Reads the shards and compares them with the checksums of their index, which they must have. The
/// result is in the order of the shards. Throws as complete_index().
std::vector<WrongChecksum> wrong_checksums(const TarShards& shards, const ReadWhole& how);

}  // namespace weir::shards
