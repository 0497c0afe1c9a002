#pragma once

/// \file
/// Tar shards as WebDataset writes them. The component `shards`; it needs libarchive.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "weir/export.hpp"
#include "weir/source.hpp"

namespace weir {

/// A plane of the samples in shards.
struct ShardPlane {
  std::string name;       ///< as in Source::planes(): 1 to 32 characters of a-z, 0-9, '_' and '-'
  std::string extension;  ///< of its member, for example "mask.png"
};

/// Which members of a shard make a sample. The files of one sample are adjacent and share a key: the
/// path up to the first dot of its last component. The rest is the extension, in any case of letters.
struct ShardOptions {
  /// Extension of the image's member, for example "jpg". Empty: the image of the `index.weir`;
  /// without one, the first member whose extension may be an image's.
  std::string image{};
  /// Where the label is. "cls": the member with this extension is a decimal number. "json:/a/b": the
  /// whole number at this JSON pointer (RFC 6901) in the member. A sample without the member has
  /// label -1. With an `index.weir`, "cls" means the labels of the index.
  std::string label = "cls";
  /// A file with lines of key<TAB>label that replaces `label`. A key that it lacks has label -1. "./"
  /// at the begin of a key does not count. A line that begins with '#' is a comment; "./#key" is the key "#key".
  std::string label_file{};
  /// Further images of a sample: its members with these extensions, at most seven. A plane whose member a
  /// sample does not have is absent. At least one sample must have each.
  std::vector<ShardPlane> planes{};
  /// Extension of the member that is the annotation, for example "json". At least one sample must have it.
  std::string annotation{};
  /// Each sample must have it, and an empty member is one. false: a sample without it has none.
  bool needs_annotation = false;
  /// A folder with an index of NVIDIA DALI (wds2idx v1.2) for each shard: "train-0.idx" for
  /// "train-0.tar". It replaces the search for members.
  std::string dali_index{};
  /// Compares the bytes of each image that is read with the checksum in `index.weir`. If they differ,
  /// it is a Fault of kind `corrupt`. Planes and annotations have no checksum of their own. Throws
  /// Error{bad_options} if there is no `index.weir`.
  bool verify = false;
  std::uint64_t max_encoded_bytes = 64ull << 20;  ///< a larger image gives a Fault of kind `limit`
};

/// The images of tar shards, in the order of the shards and their members. The bytes of a sample are
/// read in place by one call. One descriptor for each shard stays open.
///
/// `paths` has shards, or one folder with an `index.weir`, or one `index.weir`. A path may have lists
/// and ranges in braces: "train-{000..015}.tar", "{train,extra}.tar".
///
/// If the shards' folder has an `index.weir` that lists all of them, no header is read. The index has
/// one range for each sample. So the headers of these shards are read once, by this call, if an option
/// names another member or label: `image`, `label`, `label_file`, `planes`, `annotation`. What the index
/// knows of the samples stays valid. With `dali_index`, no header is read.
///
/// A folder with an index stands for the shards that the index lists, and not for newer ones. The
/// folder of a `weir pack` that has not ended is refused.
///
/// Throws Error{bad_options} for a wrong option, for labels that no sample has though `label` or
/// `label_file` asks for them, for a plane or an annotation that no sample has, and for a sample that
/// lacks an annotation that it needs. Throws Error{source_failed} with shard, offset and what to do if a
/// shard cannot be read in place: an archive that is cut short or compressed, a key that returns, a
/// link, a device, a sparse member, a member of 4 GiB or more, a path that is absolute or has "..".
WEIR_API AnySource tar_shards(const std::vector<std::string>& paths,
                              const ShardOptions& options = {});
/// The same for one path or pattern.
template <class Path>
  requires std::convertible_to<Path, std::string> AnySource
  tar_shards(const Path& path, const ShardOptions& options = {}) {
    return tar_shards(std::vector<std::string>{std::string(path)}, options);
  }

}  // namespace weir
