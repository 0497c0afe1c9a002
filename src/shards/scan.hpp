#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "shards/index.hpp"
#include "shards/shard_file.hpp"
#include "weir/shards.hpp"

namespace weir::shards {

/// A member beside the image. No member has offset 0, because a header comes before it.
struct Range {
  std::uint64_t offset = 0;  ///< 0: the sample has no such member
  std::uint64_t bytes = 0;
};

/// A sample that is left out because it has no image.
struct NoImage {
  std::string name;          ///< shard and key
  std::uint64_t offset = 0;  ///< of its first member
};

/// What the members of all shards are.
struct Scan {
  Index index;                ///< without checksums and sizes of images
  std::vector<Range> planes;  ///< of all ShardOptions::planes of the first sample, of the second …
  std::vector<Range> annotations;  ///< by sample; empty if not asked for
  std::vector<NoImage> left_out;   ///< in the order of the shards
  std::uint64_t more_images = 0;   ///< members that may be images and are not used
  std::string another_image;       ///< one of them, with its shard
  std::uint64_t unlabelled = 0;    ///< samples without the member or key of a label
  std::string unlabelled_key;      ///< the key of one of them
  std::uint64_t known = 0;         ///< images of a given index
  bool is_part = false;            ///< `index` is read, and of more shards: `skipped` is unknown

  std::uint64_t held_bytes() const noexcept;
};

/// Searches the members of the shards, and groups them into samples. Several threads search. If no
/// option names the image, the samples and their images are those of `known`, the index of these
/// shards. An image of it that is a plane or the annotation is replaced by the first other one; a
/// sample that has no other is left out. Throws what tar_shards() throws.
Scan scan_shards(const std::vector<ShardFile>& files, const ShardOptions& options,
                 const std::stop_token& stop, const Index* known = nullptr);

}  // namespace weir::shards
