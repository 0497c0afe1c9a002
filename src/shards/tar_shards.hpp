#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shards/index.hpp"
#include "shards/scan.hpp"
#include "shards/shard_file.hpp"
#include "weir/shards.hpp"

namespace weir::shards {

/// The source that weir::tar_shards wraps. Thread-safe.
class TarShards {
 public:
  /// `files` are the shards of scan.index, in their order. `has_checksums`: whether the samples have
  /// theirs.
  TarShards(std::vector<ShardFile> files, Scan scan, bool has_checksums,
            const ShardOptions& options);

  std::uint64_t size() const noexcept { return index().samples.size(); }
  /// Reads the range of the image, and those of the other members that were asked for. Throws
  /// SampleError as image_folder().
  std::optional<Encoded> try_read(std::uint64_t i, ByteSink& sink) const;
  /// Shard and member: "train-000.tar/dog/0001.jpg".
  std::string name(std::uint64_t i) const;
  std::uint64_t index_bytes() const noexcept;
  std::optional<std::uint64_t> encoded_bytes(std::uint64_t i) const {
    return index().samples[i].bytes;
  }
  std::vector<std::string> planes() const;
  std::optional<std::uint64_t> annotation_bytes() const;
  std::string plane_name(std::uint64_t i, std::size_t plane) const;
  /// Empty if the index has no size.
  std::optional<ImageSize> image_size(std::uint64_t i) const;
  std::int64_t label(std::uint64_t i) const noexcept { return index().samples[i].label; }
  std::uint64_t skipped() const noexcept { return index().skipped; }
  /// Of the shards' names and sizes and of the samples' ranges. It is the same with and without
  /// `index.weir`.
  std::string fingerprint() const;

  const std::vector<ShardFile>& files() const noexcept { return files_; }
  const Scan& scan() const noexcept { return scan_; }
  const Index& index() const noexcept { return scan_.index; }
  bool has_checksums() const noexcept { return has_checksums_; }

 private:
  void check_size(std::uint64_t bytes) const;
  std::optional<std::span<std::byte>> read(const ShardFile& file, const Range& range,
                                           ByteSink& sink) const;
  std::optional<EncodedPlanes::Plane> read_plane(std::uint64_t i, std::size_t plane,
                                                 ByteSink& sink) const;
  std::optional<std::span<const std::byte>> read_annotation(std::uint64_t i, ByteSink& sink) const;
  /// Shard and member, for messages.
  std::string member_name(const Sample& sample, const std::string& extension) const;

  std::vector<ShardFile> files_;
  Scan scan_;
  std::uint64_t max_encoded_bytes_;
  bool has_checksums_, verify_;
  std::vector<ShardPlane> planes_;
  std::string annotation_;  ///< extension, for messages
};
static_assert(Source<TarShards>);

/// What an existing index is for. `ignore`: a folder stands for its files *.tar.
enum class OldIndex : std::uint8_t { use, ignore };

/// Opens what tar_shards() opens, and throws what it throws. A stop request ends the search for
/// members.
TarShards open_shards(const std::vector<std::string>& paths, const ShardOptions& options,
                      const std::stop_token& stop = {}, OldIndex old_index = OldIndex::use);

}  // namespace weir::shards
