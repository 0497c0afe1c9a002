#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "shards/scan.hpp"
#include "shards/tar_shards.hpp"
#include "source/folder_walk.hpp"
#include "weir/shards.hpp"
#include "weir/source.hpp"

namespace weir::data {

/// How data are opened.
struct How {
  FolderOptions files{};     ///< max_encoded_bytes is also that of shards
  ShardOptions shards{};     ///< without max_encoded_bytes
  bool wants_names = false;  ///< of the samples without an image; with an index, that is a search
  /// Gets what the user should know: what was left out, and why. Options have their library names.
  std::function<void(const std::string&)> hint = [](const std::string&) {};
  std::stop_token stop{};
};

/// What the data have beside their samples.
struct Notes {
  std::vector<source::Unreached> unreached;    ///< parts of a folder that could not be examined
  std::vector<shards::NoImage> without_image;  ///< samples of tar shards
  std::uint64_t open_files = 0;                ///< files that the source keeps open: tar shards
};

/// Whether data are tar shards: several, by their name, or because a folder has an index of them.
bool are_shards(const std::vector<std::string>& data);

/// The source for a text of data, or for the paths of several tar shards: a folder, shards, a manifest,
/// cifar10:PATH, cifar100:PATH, cifar100-coarse:PATH, mnist:PATH or synthetic:COUNT,HxW. PATH is one file, or a
/// folder, of which the training files are taken. A folder that has tar shards and no image stands for these.
/// A stop request ends the listing of a folder or of shards, and the painting of synthetic images. Throws
/// Error{source_failed}, Error{bad_options}, and std::invalid_argument for a malformed text.
AnySource open(const std::vector<std::string>& data, const How& how, Notes* notes = nullptr);

/// The shards of such data. Throws Error{source_failed} if weir was built without libarchive.
shards::TarShards open_tars(const std::vector<std::string>& data, const How& how,
                            shards::OldIndex old_index = shards::OldIndex::use);
/// Hints about samples without image or label.
void hint_left_out(const shards::Scan& scan, const How& how);

}  // namespace weir::data
