#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/sanitize.hpp"
#include "base/text.hpp"
#include "shards/keys.hpp"
#include "shards/shard_file.hpp"
#include "shards/tar_shards.hpp"
#include "source/checked_path.hpp"
#include "source/plane_names.hpp"
#include "weir/error.hpp"

namespace weir::shards {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& what) {
  throw Error(Errc::source_failed, Stage::read, what);
}

void check(const ShardOptions& options) {
  const auto one_role = [](const char* one, const std::string& a, const char* other,
                           const std::string& b) {
    if (!a.empty() && extension_of(a) == extension_of(b))
      refuse(Stage::read, one, " and ", other, " are both '", sanitize(a),
             "'; a member has one role");
  };
  (void)source::checked_path(options.label_file, "`label_file`");
  (void)source::checked_path(options.dali_index, "`dali_index`");
  one_role("image", options.image, "annotation", options.annotation);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < options.planes.size(); ++i) {
    const auto& plane = options.planes[i];
    const auto here = "planes[" + std::to_string(i) + ']';
    if (const auto why = source::not_a_plane(plane.name, names); !why.empty())
      refuse(Stage::read, '`', here, ".name` = ", why);
    names.push_back(plane.name);
    const auto extension = here + ".extension";
    if (extension_of(plane.extension).empty())
      refuse(Stage::read, extension, " is empty; for example 'mask.png'");
    one_role(extension.c_str(), plane.extension, "image", options.image);
    one_role(extension.c_str(), plane.extension, "annotation", options.annotation);
    for (std::size_t other = 0; other < i; ++other)
      one_role(extension.c_str(), plane.extension, options.planes[other].name.c_str(),
               options.planes[other].extension);
  }
}

/// What the caller's paths mean: the shards, and the folder of their index.
struct Shards {
  fs::path folder;                 ///< all shards are below it; empty: the current folder
  std::vector<std::string> names;  ///< relative to `folder`; empty: those of its index
};

bool is_there(const fs::path& path) {
  std::error_code failed;
  return fs::exists(path, failed);
}

/// Throws if a pack has written only some of its shards. It ends with the index.
void refuse_unfinished(const fs::path& folder) {
  if (is_there(folder / pack_note) && !is_there(folder / index_name))
    fail((folder.empty() ? "the current folder" : sanitize(folder.string())) +
         ": a `weir pack` into it has not ended, or its index.weir was deleted; run the same pack "
         "again, or delete pack.txt to use the shards as they are");
}

/// The shards of a folder without an index.
std::vector<std::string> tars_of(const fs::path& folder) {
  refuse_unfinished(folder);
  auto names = tar_names_in(folder.string());
  if (names.empty())
    fail(sanitize(folder.string()) + ": no shards: neither " + std::string(index_name) +
         " nor a file *.tar");
  return names;
}

/// The deepest folder that has all paths below it.
fs::path common_folder(const std::vector<std::string>& paths) {
  auto folder = fs::path(paths.front()).parent_path();
  for (const auto& path : paths) {
    const auto other = fs::path(path).parent_path();
    const auto [a, b] = std::mismatch(folder.begin(), folder.end(), other.begin(), other.end());
    if (a == folder.end()) continue;
    fs::path shorter;
    for (auto part = folder.begin(); part != a; ++part) shorter /= *part;
    folder = std::move(shorter);
  }
  return folder;
}

Shards resolve(const std::vector<std::string>& given, bool use_index) {
  std::vector<std::string> paths;
  for (const auto& path : given) {
    if (is_there(source::checked_path(path, "tar_shards: path"))) {
      paths.push_back(path);
      continue;
    }
    for (auto& each : expand_braces(path)) paths.push_back(std::move(each));
    if (paths.size() > most_paths) fail("more than " + std::to_string(most_paths) + " shards");
  }
  if (paths.empty()) refuse(Stage::read, "tar_shards: no path is given");
  if (paths.size() == 1) {
    const fs::path only = paths.front();
    if (only.filename() == index_name && use_index) return {only.parent_path(), {}};
    std::error_code failed;
    if (fs::is_directory(only, failed))
      return {only, use_index && is_there(only / index_name) ? std::vector<std::string>()
                                                             : tars_of(only)};
  }
  Shards shards{common_folder(paths), {}};
  std::set<std::string> known;
  for (const auto& path : paths) {
    if (!known.insert(fs::path(path).lexically_normal().string()).second)
      fail("shard " + sanitize(path) + " is given twice");
    shards.names.push_back(fs::path(path).lexically_relative(shards.folder).generic_string());
    if (shards.folder.empty()) shards.names.back() = path;
  }
  return shards;
}

/// The part of an index that lists the named shards, in their order. Empty if it lacks one of them.
std::optional<Index> part_of(Index index, const std::vector<std::string>& names) {
  if (std::ranges::equal(names, index.shards, {}, {}, &Shard::name)) return index;
  std::map<std::string_view, std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < index.shards.size(); ++i) numbers[index.shards[i].name] = i;
  Index part;
  part.label = index.label;
  if (names.size() == index.shards.size()) part.skipped = index.skipped;  // all, in another order
  for (const auto& name : names) {
    const auto found = numbers.find(name);
    if (found == numbers.end()) return std::nullopt;
    const auto number = found->second;
    auto shard = index.shards[number];
    shard.first = part.samples.size();
    for (const auto& sample : index.samples_of(number)) {
      part.samples.push_back(sample);
      part.samples.back().shard = static_cast<std::uint32_t>(part.shards.size());
    }
    part.shards.push_back(std::move(shard));
  }
  part.samples.shrink_to_fit();
  part.text = std::move(index.text);
  return part;
}

/// Whether the options need members or labels that an index does not have.
bool needs_search(const ShardOptions& options) {
  const ShardOptions usual;
  return options.image != usual.image || options.label != usual.label ||
         options.label_file != usual.label_file || !options.planes.empty() ||
         !options.annotation.empty() || !options.dali_index.empty();
}

/// Whether no option says where labels are. Then they are those of the index, if there is one.
bool has_usual_labels(const ShardOptions& options) {
  return options.label == ShardOptions().label && options.label_file.empty();
}

/// Gives the samples that were found what the index knows of the same ranges. Returns whether it knows
/// all. Throws if the labels of others would have another origin.
bool adopt(Scan& found, const Index& index, const ShardOptions& options) {
  const bool labels = has_usual_labels(options);
  auto known = index.samples.begin();
  const auto position = [](const Sample& sample) { return std::pair(sample.shard, sample.offset); };
  const auto shift = found.index.text.size() - 1;
  found.index.text.insert(found.index.text.end(), index.text.begin() + 1, index.text.end());
  bool all = true;
  for (auto& sample : found.index.samples) {
    while (known != index.samples.end() && position(*known) < position(sample)) ++known;
    if (known == index.samples.end() || position(*known) != position(sample) ||
        known->bytes != sample.bytes) {
      if (labels && index.label.empty())
        refuse(Stage::read, index_name, " lacks samples that these options choose, as ",
               sanitize(found.index.name(sample)),
               ", and does not say where labels are; name them as well, with label or "
               "label_file, or run `weir index` with the same options");
      all = false;
      continue;
    }
    auto adopted = *known;
    adopted.name += shift;
    if (!labels) adopted.label = sample.label;
    sample = adopted;
  }
  for (std::size_t i = 0; i < found.index.shards.size(); ++i)
    found.index.shards[i].checksum = index.shards[i].checksum;
  if (labels) found.index.label = index.label;
  if (labels && index.label.empty()) found.unlabelled = 0;  // the index has the labels
  return all;
}

/// Labels that are asked for and that no sample has are a mistake.
void check_labels(const Scan& scan, const ShardOptions& options) {
  if (has_usual_labels(options) || scan.unlabelled < scan.index.samples.size()) return;
  const auto key = "'" + sanitize(scan.unlabelled_key) + "'";
  if (options.label_file.empty())
    refuse(Stage::read, "`label` = ", sanitize(options.label),
           ": no sample has this member, as the sample ", key);
  refuse(Stage::read, "`label_file` = ", sanitize(options.label_file),
         ": no sample's key is in it; a key is the path of the image up to the first dot of its "
         "last part, as ",
         key);
}

/// A plane that no sample has is a mistake.
void check_planes(const Scan& scan, const std::vector<ShardPlane>& planes) {
  for (std::size_t i = 0; i < planes.size(); ++i) {
    std::size_t at = i;
    while (at < scan.planes.size() && scan.planes[at].offset == 0) at += planes.size();
    if (at >= scan.planes.size())
      refuse(Stage::read, "planes[", i, "], ", planes[i].name,
             ": no sample has a member with the extension '", sanitize(planes[i].extension),
             "', as the sample ", sanitize(scan.index.name(scan.index.samples.front())));
  }
}

/// An annotation that no sample has is a mistake.
void check_annotation(const Scan& scan, const ShardOptions& options) {
  if (options.annotation.empty()) return;
  const auto& samples = scan.index.samples;
  std::size_t lonely = 0, first = 0;
  for (std::size_t i = samples.size(); i-- > 0;)
    if (scan.annotations.empty() || scan.annotations[i].offset == 0) {
      ++lonely;
      first = i;
    }
  const bool none = lonely == samples.size();
  if (lonely == 0 || (!none && !options.needs_annotation)) return;
  refuse(Stage::read, "`ShardOptions::annotation` = ", sanitize(options.annotation), ": ",
         none
             ? "no sample has a member with this extension"
             : concat(lonely, " of ", samples.size(), " samples lack a member with this extension"),
         ", as the sample ", sanitize(scan.index.name(samples[first])),
         none ? "" : "; `needs_annotation = false` keeps such samples without one");
}

}  // namespace

TarShards open_shards(const std::vector<std::string>& paths, const ShardOptions& options,
                      const std::stop_token& stop, OldIndex old_index) {
  check(options);
  const bool use_index = old_index == OldIndex::use;
  auto [folder, names] = resolve(paths, use_index);
  if (!use_index) refuse_unfinished(folder);
  const auto index_path = folder / index_name;
  std::optional<Index> index;
  bool is_part = false;
  if (use_index && (names.empty() || is_there(index_path))) index = read_index(index_path.string());
  if (names.empty()) {
    for (const auto& shard : index->shards) names.push_back(shard.name);
  } else if (index) {
    is_part = names.size() < index->shards.size();
    index = part_of(std::move(*index), names);
  }
  if (options.verify && !index)
    refuse(Stage::read, "verify: there is no ", index_name, " in ",
           folder.empty() ? "the current folder" : sanitize(folder.string()),
           " that lists all shards; make it with `weir index`");

  std::vector<ShardFile> files;
  files.reserve(names.size());
  for (auto& name : names) {
    files.push_back(open_shard((folder / name).string(), name));
    if (!index) continue;
    const auto& file = files.back();
    if (const auto bytes = index->shards[files.size() - 1].bytes; bytes != file.bytes)
      fail("shard " + sanitize(file.path) + " has " + std::to_string(file.bytes) + " bytes where " +
           sanitize(index_path.string()) + " says " + std::to_string(bytes) +
           "; if the shard was made anew, run `weir index` again");
  }
  Scan scan;
  bool checksums = index.has_value();
  if (!index || needs_search(options)) {
    auto search = options;
    if (index && has_usual_labels(options) && !index->label.empty()) search.label = index->label;
    scan = scan_shards(files, search, stop, index ? &*index : nullptr);
    if (index && options.image.empty() && scan.known < index->samples.size())
      fail(sanitize(index_path.string()) +
           " has images that the shards lack; run `weir index` again, or name the image with "
           "`ShardOptions::image`");
    if (index) checksums = adopt(scan, *index, options);
  } else {
    scan.is_part = is_part;
    scan.index = *std::move(index);
  }
  if (options.verify && !checksums)
    refuse(Stage::read, "verify: ", sanitize(index_path.string()),
           " lacks samples that these options choose; make it with the same options of "
           "`weir index`");
  if (scan.index.samples.empty())
    fail("no samples in " + std::to_string(files.size()) + " shards: " +
         (scan.index.skipped == 0
              ? "they have no files with a key and an extension"
              : std::to_string(scan.index.skipped) + " groups of files have no image" +
                    (scan.left_out.empty() ? "" : ", as " + sanitize(scan.left_out[0].name))));
  check_labels(scan, options);
  check_planes(scan, options.planes);
  check_annotation(scan, options);
  return TarShards(std::move(files), std::move(scan), checksums, options);
}

}  // namespace weir::shards
