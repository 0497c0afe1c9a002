#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "pack/member.hpp"
#include "shards/index.hpp"
#include "shards/tar_writer.hpp"

namespace weir::pack {

/// Writes members into numbered shards, each with its record. Not thread-safe.
class ShardWriter {
 public:
  ShardWriter(std::string folder, std::uint64_t shard_bytes)
      : folder_(std::move(folder)), shard_bytes_(shard_bytes) {}

  /// Whether a complete shard of so many bytes has no room for this member.
  bool is_full(std::uint64_t bytes, const Member& member) const;
  /// Whether finish() must be called before this member.
  bool is_full_for(const Member& member) const {
    return tar_ && is_full(tar_->size() + shards::TarWriter::end_bytes, member);
  }
  /// Adds a sample to shard `number`, which it begins if none is open.
  void add(std::uint64_t number, source::Position position, const Member& member);
  bool is_open() const noexcept { return tar_.has_value(); }
  /// Completes the open shard. Returns its record.
  shards::Index finish();

 private:
  std::string folder_;
  std::uint64_t shard_bytes_, number_ = 0;
  std::optional<shards::TarWriter> tar_;
  shards::Index record_;
};

}  // namespace weir::pack
