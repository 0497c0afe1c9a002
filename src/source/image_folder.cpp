#include "source/image_folder.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/sanitize.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "source/checked_path.hpp"
#include "source/extension.hpp"

namespace weir::source {
namespace {

std::vector<std::string> suffixes_of(std::vector<std::string> suffixes) {
  if (std::ranges::count(suffixes, "*") > 0) return {""};  // every name ends so
  for (auto& suffix : suffixes) {
    if (!suffix.starts_with('.')) suffix.insert(0, ".");
    suffix = lower_case(suffix);
  }
  return suffixes;
}

// Listing waits for storage, so more threads than cores help. The maximum protects small machines.
unsigned walkers() { return std::clamp(threads_for(0), 2u, 16u); }

/// Entries by the reason why they are no samples.
struct Reasons {
  std::uint64_t count = 0;
  std::string text;
};

/// `skipped`: only entries that could be meant as samples, but no hidden files and no files that the
/// caller's extensions leave out.
Reasons reasons_of(const FolderListing& listing, const FolderOptions& options, bool skipped) {
  const auto first = listing.unreached.empty()
                         ? std::string()
                         : listing.unreached[0].path + ": " + listing.unreached[0].reason;
  const bool follows = options.follow_symlinks == FollowSymlinks::yes;
  const struct {
    LeftOut why;
    bool skipped;
    std::string what, after;
  } rows[] = {
      {LeftOut::other_extension, false,
       "of other extensions than `extensions` = " + sanitize(joined(options.extensions, ",")), ""},
      {LeftOut::shard, true, "tar shards", ", which are opened by their own path"},
      {LeftOut::never_image, true, "of extensions that no image has",
       ", which `extensions` = '*' takes"},
      {LeftOut::hidden, false, "hidden, with a dot at the beginning of the name", ""},
      {LeftOut::link, true, follows ? "links to a folder above them" : "links",
       follows ? "" : ", which `follow_symlinks` = yes follows"},
      {LeftOut::other_class, true, "folders that classes does not name", ""},
      {LeftOut::unreached, true, "not readable", ""},
      {LeftOut::no_file, true, "neither file nor folder", ""}};
  Reasons reasons;
  for (const auto& row : rows) {
    const auto& [count, example] = listing.left_out[static_cast<std::size_t>(row.why)];
    if (count == 0 || (skipped && !row.skipped)) continue;
    reasons.count += count;
    reasons.text += concat(reasons.text.empty() ? "" : "; ", count, " ", row.what, " (",
                           sanitize(row.why == LeftOut::unreached ? first : example),
                           count > 1 ? ", …)" : ")", row.after);
  }
  return reasons;
}

/// Why `listing`, which has no samples, has none.
std::string why_empty(const FolderListing& listing, const FolderOptions& options) {
  const auto reasons = reasons_of(listing, options, false);
  if (reasons.count == 0)
    return listing.tops.empty() ? "the folder is empty" : "its folders are empty";
  return concat("found ", reasons.count, reasons.count == 1 ? " entry" : " entries",
                " and left out ", reasons.text);
}

/// The classes by label. Throws if one is missing, or if the folder has another one.
ClassLabels classes_of(const std::string& path, std::vector<std::string> tops,
                       const FolderOptions& options) {
  if (options.classes.empty()) {
    if (options.skip_other_classes)
      refuse(Stage::read, "skip_other_classes: classes is empty, so every folder would be skipped");
    return ClassLabels(std::move(tops));
  }
  ClassLabels classes(options.classes);
  const auto refuse_folder = [&](const auto&... what) {
    throw_error(Errc::source_failed, Stage::read, "image folder ", sanitize(path), ": ", what...);
  };
  for (std::size_t i = 0; i < options.classes.size(); ++i)
    if (!std::ranges::binary_search(tops, options.classes[i]))
      refuse_folder("`classes[", i, "]` = ", sanitize(options.classes[i]),
                    ": there is no such folder in it");
  for (const auto& top : tops)
    if (!options.skip_other_classes && classes.label_of(top) < 0)
      refuse_folder("`classes` does not name the folder ", sanitize(top),
                    "; add it, or set skip_other_classes");
  return classes;
}

}  // namespace

bool takes_file(std::string_view name, const std::vector<std::string>& extensions) {
  return takes_name(name, suffixes_of(extensions));
}

ImageFolder::ImageFolder(const std::string& path, const FolderOptions& options, FolderNotes* notes,
                         const std::stop_token& stop)
    : path_(path),
      reader_(open_folder(checked_path(path, "image_folder: path"),
                          "cannot list image folder " + sanitize(path), O_RDONLY),
              options.follow_symlinks, options.max_encoded_bytes) {
  const ClassLabels chosen(options.classes);
  const bool some = options.skip_other_classes && !options.classes.empty();
  auto listing = walk_folder(reader_, path_, suffixes_of(options.extensions),
                             some ? &chosen : nullptr, walkers(), stop);
  classes_ = classes_of(path, listing.tops, options);
  if (listing.names.size() == 0) {
    if (notes) notes->no_samples = listing.unreached.empty();
    throw Error(Errc::source_failed, Stage::read,
                "image folder " + sanitize(path) + ": no samples: " + why_empty(listing, options));
  }
  names_ = std::move(listing.names);
  auto skipped = reasons_of(listing, options, true);
  skipped_ = skipped.count;
  if (notes) *notes = {std::move(listing.unreached), std::move(skipped.text), false};
}

std::int64_t ImageFolder::label(std::uint64_t i) const noexcept {
  if (classes_.names().empty()) return 0;
  const std::string_view name(names_[i]);
  const auto slash = name.find('/');
  if (slash == std::string_view::npos) return -1;
  return classes_.label_of(name.substr(0, slash));
}

std::optional<Encoded> ImageFolder::try_read(std::uint64_t i, ByteSink& sink) const {
  return reader_.read(names_[i], label(i), sink);
}

std::uint64_t ImageFolder::index_bytes() const noexcept {
  return sizeof(*this) + held_bytes(path_) + names_.bytes() + classes_.bytes();
}

}  // namespace weir::source

weir::AnySource weir::image_folder(const std::string& path, const FolderOptions& options) {
  return source::ImageFolder(path, options);
}
