#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shards/index.hpp"
#include "source/file_descriptor.hpp"
#include "weir/shards.hpp"

namespace weir::shards {

/// The source that weir::tar_shards wraps. Thread-safe.
class TarShards {
 public:
  /// `folder` is the folder of the index; the names of its shards are below it. Throws
  /// Error{source_failed} if a shard cannot be opened or has another size.
  TarShards(const std::string& folder, Index index, const ShardOptions& options);

  std::uint64_t size() const noexcept { return index_.samples.size(); }
  /// Reads the range of the sample at once. Throws SampleError as image_folder().
  std::optional<Encoded> try_read(std::uint64_t i, ByteSink& sink) const;
  /// Shard and member: "train-000.tar/dog/0001.jpg".
  std::string name(std::uint64_t i) const;
  std::uint64_t index_bytes() const noexcept;
  std::optional<std::uint64_t> encoded_bytes(std::uint64_t i) const { return sample(i).bytes; }
  /// Empty if the index has no size.
  std::optional<ImageSize> image_size(std::uint64_t i) const;
  std::uint64_t skipped() const noexcept { return index_.skipped; }
  /// Of the shards' names and sizes and of the samples' ranges.
  std::string fingerprint() const;

  const Index& index() const noexcept { return index_; }

 private:
  const Sample& sample(std::uint64_t i) const { return index_.samples[i]; }

  Index index_;
  std::vector<source::FileDescriptor> files_;  ///< of index_.shards
  std::uint64_t max_encoded_bytes_;
  bool verify_;
};
static_assert(Source<TarShards>);

}  // namespace weir::shards
