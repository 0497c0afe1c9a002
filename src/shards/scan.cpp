#include "shards/scan.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <optional>
#include <set>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "base/sanitize.hpp"
#include "base/threads.hpp"
#include "shards/dali_index.hpp"
#include "shards/keys.hpp"
#include "shards/labels.hpp"
#include "shards/members.hpp"
#include "source/extension.hpp"
#include "weir/error.hpp"

namespace weir::shards {
namespace {

/// The roles that members can have, by their extensions.
struct Roles {
  explicit Roles(const ShardOptions& options)
      : image(extension_of(options.image)),
        annotation(extension_of(options.annotation)),
        labels(options) {
    for (const auto& plane : options.planes) planes.push_back(extension_of(plane.extension));
  }

  bool is_image(const std::string& extension) const {
    if (!image.empty()) return extension == image;
    return !has_other_role(extension) && source::may_be_image(extension);
  }
  bool has_other_role(const std::string& extension) const {
    return extension == annotation || std::ranges::find(planes, extension) != planes.end();
  }

  std::string image, annotation;
  std::vector<std::string> planes;
  Labels labels;
};

/// Groups the members of one shard into samples.
class Grouping {
 public:
  Grouping(const ShardFile& shard, const Roles& roles, std::uint32_t number, const Index* known)
      : shard_(shard), roles_(roles), number_(number), known_(known) {}

  void add(const Member& member) {
    const auto name = split(member.name);
    if (!name) return;
    if (!now_ || now_->key != name->key) {
      finish();
      begin(member, name->key);
    }
    take(member, source::lower_case(name->extension));
  }

  /// What was found. The samples' shard and the labels of a file are not set yet.
  Scan result() {
    finish();
    auto& index = found_.index;
    index.samples.shrink_to_fit();
    index.text.shrink_to_fit();
    return std::move(found_);
  }

 private:
  struct Group {
    std::string key;
    std::uint64_t offset = 0;
    std::set<std::string> extensions{};
    std::optional<Sample> image{};
    bool is_known = false;  ///< one of its members is an image of the index
    std::optional<std::int64_t> label{};
    std::vector<Range> planes{};  ///< as Roles::planes
    Range annotation{};
  };

  [[noreturn]] void refuse(const Member& member, const std::string& why) const {
    refuse_shard(shard_, member.offset, "'" + sanitize(member.name) + "' " + why);
  }

  void begin(const Member& member, std::string_view key) {
    now_.emplace(Group{.key = std::string(key),
                       .offset = member.offset,
                       .planes = std::vector<Range>(roles_.planes.size())});
    const auto [before, is_new] = ends_.emplace(now_->key, member.offset);
    if (!is_new)
      refuse(member, "returns to the key of byte " + std::to_string(before->second) +
                         ", after members of other keys; the files of a sample must be adjacent: "
                         "make the shard with `tar --sort=name`");
  }

  void take(const Member& member, const std::string& extension) {
    auto& now = *now_;
    if (!now.extensions.insert(extension).second)
      refuse(member, "comes twice in its sample; only one file of each extension can be found");
    if (extension.empty()) return;  // it would have each role that is not asked for
    if (extension == roles_.labels.extension()) now.label = label_of(member);
    const Range range{member.offset, member.bytes};
    for (std::size_t i = 0; i < now.planes.size(); ++i)
      if (extension == roles_.planes[i]) now.planes[i] = range;
    if (extension == roles_.annotation) now.annotation = range;
    const bool is_known = known_ && has_image_at(*known_, member.offset);
    now.is_known |= is_known;
    if (is_known) ++found_.known;
    if (is_known ? !roles_.has_other_role(extension) : !now.image && roles_.is_image(extension)) {
      now.image = Sample{.offset = member.offset,
                         .name = found_.index.add_name(member.name),
                         .bytes = static_cast<std::uint32_t>(member.bytes)};
    } else if (!known_ && roles_.image.empty() && roles_.is_image(extension)) {
      if (found_.more_images++ == 0)
        found_.another_image = shard_.name + '/' + std::string(member.name);
    }
  }

  bool has_image_at(const Index& index, std::uint64_t offset) const {
    return std::ranges::binary_search(
        index.samples, std::pair(number_, offset), {},
        [](const Sample& sample) { return std::pair(sample.shard, sample.offset); });
  }

  std::int64_t label_of(const Member& member) const {
    if (member.bytes > Labels::most_bytes)
      refuse(member, "has " + std::to_string(member.bytes) + " bytes, too many for a label");
    std::string content(static_cast<std::size_t>(member.bytes), '\0');
    const auto got =
        read_full(shard_.file, std::as_writable_bytes(std::span(content)), member.offset);
    if (got < content.size())
      refuse(member, errno == 0 ? "was cut short while it was read"
                                : "cannot be read: " + errno_text(errno));
    try {
      return roles_.labels.parse(content);
    } catch (const std::invalid_argument& e) {
      refuse(member, std::string(e.what()) +
                         "; it has the label: `ShardOptions::label` names another member, "
                         "`ShardOptions::label_file` a file with a number for each sample");
    }
  }

  void finish() {
    if (!now_) return;
    auto group = *std::exchange(now_, std::nullopt);
    if (!group.image || (known_ && !group.is_known)) {
      ++found_.index.skipped;
      found_.left_out.push_back({shard_.name + '/' + group.key, group.offset});
      return;
    }
    if (!group.label) group.label = roles_.labels.of(group.key);
    if (!group.label && found_.unlabelled++ == 0) found_.unlabelled_key = group.key;
    group.image->label = group.label.value_or(-1);
    found_.index.samples.push_back(*group.image);
    found_.planes.insert(found_.planes.end(), group.planes.begin(), group.planes.end());
    if (!roles_.annotation.empty()) found_.annotations.push_back(group.annotation);
  }

  const ShardFile& shard_;
  const Roles& roles_;
  std::uint32_t number_;
  const Index* known_;
  Scan found_;
  std::optional<Group> now_;
  std::unordered_map<std::string, std::uint64_t> ends_;  ///< keys so far, and where they began
};

template <class T>
void append(std::vector<T>& to, std::vector<T>&& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  std::exchange(from, {});
}

/// Adds what shard number `number` has.
void merge(Scan& all, Scan&& part, const ShardFile& file, std::uint32_t number) {
  auto& index = all.index;
  const auto shift = index.text.size() - 1;  // both begin with the empty name
  for (auto& sample : part.index.samples) {
    sample.shard = number;
    sample.name += shift;
  }
  index.shards.push_back({.name = file.name, .bytes = file.bytes, .first = index.samples.size()});
  append(index.samples, std::move(part.index.samples));
  index.text.insert(index.text.end(), part.index.text.begin() + 1, part.index.text.end());
  index.skipped += part.index.skipped;
  append(all.planes, std::move(part.planes));
  append(all.annotations, std::move(part.annotations));
  append(all.left_out, std::move(part.left_out));
  if (all.more_images == 0) all.another_image = std::move(part.another_image);
  all.known += part.known;
  all.more_images += part.more_images;
  if (all.unlabelled == 0) all.unlabelled_key = std::move(part.unlabelled_key);
  all.unlabelled += part.unlabelled;
}

}  // namespace

std::uint64_t Scan::held_bytes() const noexcept {
  return index.held_bytes() + (planes.capacity() + annotations.capacity()) * sizeof(Range);
}

Scan scan_shards(const std::vector<ShardFile>& files, const ShardOptions& options,
                 const std::stop_token& stop, const Index* known) {
  const Roles roles(options);
  if (!options.image.empty()) known = nullptr;
  if (!options.dali_index.empty()) check_dali_names(options.dali_index, files);
  std::vector<Scan> parts(files.size());
  const auto search = [&](std::uint64_t i) {
    Grouping grouping(files[i], roles, static_cast<std::uint32_t>(i), known);
    const auto add = [&](const Member& member) { grouping.add(member); };
    if (options.dali_index.empty())
      read_members(files[i], add, stop);
    else
      read_dali_index(options.dali_index, files[i], add);
    parts[i] = grouping.result();
  };
  for_each_index(files.size(), threads_for(0), [&] { return search; });
  Scan all;
  all.index.label = options.label_file.empty() ? options.label : "";
  for (std::uint32_t i = 0; i < files.size(); ++i)
    merge(all, std::exchange(parts[i], {}), files[i], i);
  all.index.samples.shrink_to_fit();
  all.index.text.shrink_to_fit();
  all.planes.shrink_to_fit();
  all.annotations.shrink_to_fit();
  return all;
}

}  // namespace weir::shards
